/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Textures and surfaces, for prelude.h: an object is the address of a double_texture. A filter has 8 bits for its weights, as on a
 * GPU. What a GPU would read as other bits, a float of a texture of integers, fails the kernel.
 */

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

namespace double_own {
/* What a texel is read as: the type of a channel, and how many. */
template <class T> struct texel {
    typedef T channel;
    enum { count = 1 };
};
#define DOUBLE_TEXEL(type, name)        \
    template <> struct texel<name##1> { \
        typedef type channel;           \
        enum { count = 1 };             \
    };                                  \
    template <> struct texel<name##2> { \
        typedef type channel;           \
        enum { count = 2 };             \
    };                                  \
    template <> struct texel<name##4> { \
        typedef type channel;           \
        enum { count = 4 };             \
    };
DOUBLE_TEXEL(signed char, char)
DOUBLE_TEXEL(unsigned char, uchar)
DOUBLE_TEXEL(short, short)
DOUBLE_TEXEL(unsigned short, ushort)
DOUBLE_TEXEL(int, int)
DOUBLE_TEXEL(unsigned, uint)
DOUBLE_TEXEL(float, float)

template <class T> struct is_float {
    enum { value = 0 };
};
template <> struct is_float<float> {
    enum { value = 1 };
};

static inline const double_texture *object(unsigned long long handle, unsigned mark)
{
    const double_texture *found = (const double_texture *)handle;
    if (!found || found->mark != mark)
        fail(719);
    return found;
}

template <class T> static inline T load(const void *at)
{
    T value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
}

static inline double half_to_double(unsigned short bits)
{
    const int exponent = bits >> 10 & 31, sign = bits >> 15;
    const double part = bits & 1023;
    double value = exponent == 0 ? part / 16777216.0 : (1024 + part) / 1024;
    for (int i = 15; exponent > 0 && i < exponent; i++)
        value *= 2;
    for (int i = exponent; exponent > 0 && i < 15; i++)
        value /= 2;
    if (exponent == 31)
        value = part ? __builtin_nan("") : __builtin_inf();
    return sign ? -value : value;
}

/* A channel, as it is or between -1 and 1. */
static inline double number(const double_texture *t, const void *at)
{
    const bool as_it_is = t->flags & 1;
    double value;
    switch (t->format) {
    case 1:
        return as_it_is ? load<unsigned char>(at) : load<unsigned char>(at) / 255.0;
    case 2:
        return as_it_is ? load<unsigned short>(at) : load<unsigned short>(at) / 65535.0;
    case 3:
        return load<unsigned>(at);
    case 8:
        value = as_it_is ? load<signed char>(at) : load<signed char>(at) / 127.0;
        return as_it_is || value > -1 ? value : -1;
    case 9:
        value = as_it_is ? load<short>(at) : load<short>(at) / 32767.0;
        return as_it_is || value > -1 ? value : -1;
    case 10:
        return load<int>(at);
    case 16:
        return half_to_double(load<unsigned short>(at));
    default:
        return load<float>(at);
    }
}

static inline double floor_of(double x)
{
    return __builtin_floor(x);
}

/* The index in one dimension; -1: the border. */
static inline long index_of(double at, int extent, unsigned mode)
{
    const double low = floor_of(at);
    long i = low < -1e9 ? -1000000000 : low > 1e9 ? 1000000000 : (long)low;
    if (mode == 0)
        return (i % extent + extent) % extent;
    if (mode == 2) {
        i = (i % (2L * extent) + 2L * extent) % (2L * extent);
        return i < extent ? i : 2L * extent - 1 - i;
    }
    if (i >= 0 && i < extent)
        return i;
    return mode == 3 ? -1 : i < 0 ? 0 : extent - 1;
}

static inline double channel_at(const double_texture *t, const double p[3], unsigned channel)
{
    long i[3];
    for (int k = 0; k < 3; k++) {
        i[k] = k < 2 || t->extent[2] ? index_of(p[k], t->extent[k], t->address[k]) : 0;
        if (i[k] < 0)
            return 0;
    }
    const long texel = (i[2] * t->extent[1] + i[1]) * t->extent[0] + i[0];
    return number(t, (const char *)t->texels + (texel * t->channels + channel) * t->channel_bytes);
}

static inline double sample(const double_texture *t, const double p[3], unsigned channel)
{
    const int dimensions = t->extent[2] ? 3 : 2;
    double sum = 0;
    if (!t->linear)
        return channel_at(t, p, channel);
    for (int corner = 0; corner < 1 << dimensions; corner++) {
        double weight = 1, at[3] = { 0, 0, 0 };
        for (int k = 0; k < dimensions; k++) {
            const double low = floor_of(p[k] - 0.5), part = floor_of((p[k] - 0.5 - low) * 256 + 0.5) / 256;
            at[k] = low + (corner >> k & 1);
            weight *= corner >> k & 1 ? part : 1 - part;
        }
        if (weight > 0)
            sum += weight * channel_at(t, at, channel);
    }
    return sum;
}

template <class T> static inline T fetch(cudaTextureObject_t handle, bool volume, double x, double y, double z)
{
    typedef typename texel<T>::channel channel;
    const double_texture *t = object(handle, DOUBLE_TEXTURE_MARK);
    const bool real = t->format >= 16 || (t->channel_bytes < 4 && !(t->flags & 1));
    double p[3] = { x, y, z };
    channel values[texel<T>::count];
    if (real != (bool)is_float<channel>::value || volume != (t->extent[2] > 0))
        fail(719);
    for (int k = 0; k < 3 && t->flags & 2; k++)
        p[k] *= t->extent[k];
    for (unsigned c = 0; c < texel<T>::count; c++)
        values[c] = c < t->channels ? (channel)sample(t, p, c) : (channel)0;
    return load<T>(values);
}

/* Where the bytes are; NULL: outside, and that is not a failure. */
static inline char *surface_at(cudaSurfaceObject_t handle, size_t size, long x, long y, long z, bool volume, int mode)
{
    const double_texture *s = object(handle, DOUBLE_SURFACE_MARK);
    const long row = (long)s->extent[0] * s->channels * s->channel_bytes, depth = volume ? s->extent[2] : 1;
    if (volume != (s->extent[2] > 0) || x % (long)size)
        fail(719);
    const bool inside = x >= 0 && x + (long)size <= row && y >= 0 && y < s->extent[1] && z >= 0 && z < depth;
    if (!inside && mode == cudaBoundaryModeTrap)
        fail(719);
    if (!inside && mode == cudaBoundaryModeZero)
        return nullptr;
    x = x < 0 ? 0 : x + (long)size > row ? row - (long)size : x;
    y = y < 0 ? 0 : y >= s->extent[1] ? s->extent[1] - 1 : y;
    z = z < 0 ? 0 : z >= depth ? depth - 1 : z;
    return (char *)s->texels + (z * s->extent[1] + y) * row + x;
}

template <class T> static inline T surface_read(const char *at)
{
    T value;
    __builtin_memset(&value, 0, sizeof value);
    if (at)
        __builtin_memcpy(&value, at, sizeof value);
    return value;
}

template <class T> static inline void surface_write(char *at, const T &value)
{
    if (at)
        __builtin_memcpy(at, &value, sizeof value);
}
} // namespace double_own

template <class T> static inline T tex2D(cudaTextureObject_t t, float x, float y)
{
    return double_own::fetch<T>(t, false, x, y, 0);
}
template <class T> static inline T tex3D(cudaTextureObject_t t, float x, float y, float z)
{
    return double_own::fetch<T>(t, true, x, y, z);
}
template <class T> static inline void tex2D(T *out, cudaTextureObject_t t, float x, float y)
{
    *out = tex2D<T>(t, x, y);
}
template <class T> static inline void tex3D(T *out, cudaTextureObject_t t, float x, float y, float z)
{
    *out = tex3D<T>(t, x, y, z);
}
template <class T> static inline T tex2DLod(cudaTextureObject_t t, float x, float y, float)
{
    return tex2D<T>(t, x, y);
}

/* x counts bytes. */
template <class T>
static inline T surf2Dread(cudaSurfaceObject_t s, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)
{
    return double_own::surface_read<T>(double_own::surface_at(s, sizeof(T), x, y, 0, false, mode));
}
template <class T>
static inline void surf2Dread(T *out, cudaSurfaceObject_t s, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)
{
    *out = surf2Dread<T>(s, x, y, mode);
}
template <class T>
static inline void surf2Dwrite(T value, cudaSurfaceObject_t s, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)
{
    double_own::surface_write(double_own::surface_at(s, sizeof(T), x, y, 0, false, mode), value);
}
template <class T>
static inline T surf3Dread(cudaSurfaceObject_t s, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)
{
    return double_own::surface_read<T>(double_own::surface_at(s, sizeof(T), x, y, z, true, mode));
}
template <class T>
static inline void surf3Dwrite(T value, cudaSurfaceObject_t s, int x, int y, int z,
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)
{
    double_own::surface_write(double_own::surface_at(s, sizeof(T), x, y, z, true, mode), value);
}
