/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of src/base that most files need: macros, texts, errors, log messages, objects. */
#ifndef YK_BASE_H
#define YK_BASE_H

#include "base/error.h"
#include "base/fork.h"
#include "base/info.h"
#include "base/log.h"
#include "base/macros.h"
#include "base/object.h"
#include "base/setting.h"
#include "base/text.h"

#endif
