/* SPDX-License-Identifier: Apache-2.0 */
/* The structs of all objects. */
#ifndef YK_OBJECTS_H
#define YK_OBJECTS_H

#include "objects/buffer.h"
#include "objects/device.h"
#include "objects/event.h"
#include "objects/exec.h"
#include "objects/image.h"
#include "objects/kernel.h"
#include "objects/op.h"
#include "objects/program.h"
#include "objects/stream.h"

#endif
