/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notices by sockets, which select, WSAPoll and the loops of libuv and Python wait for: a pair of datagram sockets that are
 * connected to each other on the loopback address. A handle has 32 significant bits, so a socket fits an int.
 */
#include <winsock2.h>
#include <ws2tcpip.h>

#include "base/system/notice.h"

#include <errno.h>
#include <stdbool.h>

static SOCKET socket_of(int end)
{
    return (SOCKET)(unsigned)end;
}

/* A socket with an address of its own. */
static SOCKET open_end(struct sockaddr_in *out_address)
{
    int size = sizeof *out_address;
    SOCKET end = WSASocketW(AF_INET, SOCK_DGRAM, IPPROTO_UDP, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    if (end == INVALID_SOCKET)
        return end;
    *out_address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    u_long nonblocking = 1;
    if (bind(end, (struct sockaddr *)out_address, sizeof *out_address) == 0 &&
        getsockname(end, (struct sockaddr *)out_address, &size) == 0 && ioctlsocket(end, FIONBIO, &nonblocking) == 0)
        return end;
    closesocket(end);
    return INVALID_SOCKET;
}

int yk_notice_open(int ends[2])
{
    WSADATA about;
    struct sockaddr_in addresses[2];
    if (WSAStartup(MAKEWORD(2, 2), &about) != 0) /* counted, and never taken back: the caller's socket outlives this */
        return ENOSYS;
    SOCKET reads = open_end(&addresses[0]);
    SOCKET writes = reads == INVALID_SOCKET ? INVALID_SOCKET : open_end(&addresses[1]);
    bool open = writes != INVALID_SOCKET &&
                connect(reads, (struct sockaddr *)&addresses[1], sizeof addresses[1]) == 0 && /* takes nothing from others */
                connect(writes, (struct sockaddr *)&addresses[0], sizeof addresses[0]) == 0;
    ends[0] = (int)reads;
    ends[1] = (int)writes;
    if (open)
        return 0;
    if (writes != INVALID_SOCKET)
        closesocket(writes);
    if (reads != INVALID_SOCKET)
        closesocket(reads);
    return EMFILE;
}

void yk_notice_give(int end)
{
    (void)send(socket_of(end), "", 1, 0);
    closesocket(socket_of(end));
}

void yk_notice_close(int end)
{
    closesocket(socket_of(end));
}
