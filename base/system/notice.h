/* SPDX-License-Identifier: Apache-2.0 */
/* A descriptor on which a loop of the program's (poll, epoll, select) waits, and which becomes readable once. */
#ifndef YK_SYSTEM_NOTICE_H
#define YK_SYSTEM_NOTICE_H

/* Two descriptors: the caller reads from the first, Yoke writes to the second. They differ, so that the caller may close its own at
 * any time. On Windows they are sockets. Returns an errno value. */
int yk_notice_open(int ends[2]);
/* Make the first readable, and close the second. */
void yk_notice_give(int end);
void yk_notice_close(int end);

#endif
