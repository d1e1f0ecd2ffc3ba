/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of base/ that most files of libyoke need: macros, texts, errors, log messages, objects. */
#ifndef YK_PROCESS_H
#define YK_PROCESS_H

#include "base/macros.h"
#include "base/process/error.h"
#include "base/process/fork.h"
#include "base/process/info.h"
#include "base/process/lasting.h"
#include "base/process/log.h"
#include "base/process/object.h"
#include "base/process/thread_text.h"
#include "base/setting.h"
#include "base/text.h"

#endif
