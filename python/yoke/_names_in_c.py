# SPDX-License-Identifier: Apache-2.0
"""What the library's messages call by its name in C, and Python's words for it; errors.pyx replaces one by the other."""

# What texts have in them.
NAMES = (
    ("both must come from one yoke_device_open", "both must come from one yoke.Device: array.to_device(device) copies an "
                                                 "array to another, and other.device or default_stream().device is which"),
    ("YOKE_EVENT_TIMED needs a stream created with YOKE_STREAM_TIMED", "timed=True needs a stream with timed=True"),
    ("was recorded without YOKE_EVENT_TIMED", "was recorded without timed=True"),
    ("was created without YOKE_STREAM_TIMED", "was created without timed=True"),
    ("has not been recorded: call yoke_graph_begin, enqueue work, and call yoke_graph_end", "has not been recorded: "
                                                                                            "with stream.record() as graph"),
    ("was cancelled with yoke_stream_cancel", "was cancelled"),
    ("was failed with yoke_native_fail", "was failed by a native section"),
    ("that yoke_device_set_memory_limits allows", "that device.limit_memory allows"),
    ("use yoke_gather", "use yoke.take"),
    ("all ranks call yoke_comm_add for it first", "all ranks call Communicator.add for it first"),
    ("it has only the other backend's text", "it has only the other backend's text: pass both, as cuda=… and opencl=…, or one text "
                                             "for both, with #include <yoke/kernel.h>"),
    ("yoke_program_build takes", "device.build takes"),
    ("yoke_program_load takes", "device.load takes"),
    ("a program binary of yoke_program_save", "what program.save gives"),
    ("program binaries of yoke_program_save", "what program.save gives"),
    ("which yoke_device_get_native returns", "which is in device.native"),
    ("(yoke_device_get_native)", "(device.native)"),
    ("convert with yoke_assign", "convert with astype"), ("with yoke_assign", "with a.copy()"),
    ("use yoke_multiply", "use a * b"),
    ("which only yoke_map assigns", "which only yoke.map assigns"),
    ("which only yoke_map_rows has: in Python, evaluate with axis=", "which evaluate with axis=… does"),
    ("or use yoke_map", "or use yoke.map"),
    ("(store its values by yoke_map)", "(store its values by yoke.map)"),
    ("integers are yoke_random_integers'", "integers are yoke.random.integers'"),
    ("or yoke_copy to and from the device", "or stream.copy to and from the device"),
    ("record a yoke_write or yoke_read of a buffer", "record a write or read of a buffer"),
    ("without yoke_comm_sendrecv", "without Communicator.sendrecv"),
    ("one of them must come from the stream's yoke_device_open", "one of them must be of the stream's device"),
    ("use YOKE_MEMORY_MAPPED or device memory", 'use memory of the kind "mapped" or "device"'),
    ("as the block of yoke_launch", "as the block of kernel[grid, block]"),
    ("but shared_bytes is 0; pass yoke_arg_local(bytes) last, or the size to yoke_launch", "but shared is 0; pass "
     "yoke.Local(bytes) last, or the size as kernel[grid, block, shared]"),
    ("by yoke_arg_local, and shared_bytes is", "by yoke.Local, and shared is"),
    ("the stream's yoke_comm_add is", "Communicator.add of the stream is"),
    ("has failed: yoke_comm_add", "has failed: Communicator.add"),
    ("without yoke_comm_release", "without Communicator.close"),
    ("yoke_arg_surface(image)", "image.surface"), ("yoke_arg_image(image)", "the image"),
    ('give it one with yoke_var_array("x", array) or yoke_var_scalar("x", number)', "write x=array or x=number"),
    ("yoke_arg_local", "yoke.Local"), (" (yoke_arg_image)", ""), (" (yoke_arg_surface)", " (image.surface)"),
    ("host array (yoke_in)", "host array (yoke.In)"), ("host array (yoke_out)", "host array (yoke.Out)"),
    ("host array (yoke_inout)", "host array (yoke.InOut)"),
)

# Members of options that have another name here.
OPTIONS = {"value": "cval", "boundary": "mode", "scaling": "norm"}

# Arguments that have another name here, by the function that the library's text begins with.
ARGUMENTS = {
    "yoke_matmul": {"c": "out"}, "yoke_scatter": {"a": "values"},
    "yoke_quantile": {"a": "array", "quantiles": "q"}, "yoke_searchsorted": {"sorted": "array", "queries": "values"},
    **{f"yoke_{name}": {"a": "array"} for name in ("bincount", "clamp", "gather", "histogram", "partition", "reduce",
                                                   "reduce_segments", "scan", "scan_segments", "select", "top_k")},
}

# Operations that have another name here.
FUNCTIONS = {
    "yoke_gather": "take", "yoke_clamp": "clip", "yoke_top_k": "topk", "yoke_searchsorted": "searchsorted", "yoke_assign": "copy",
    "yoke_assign_value": "fill", "yoke_partition": "partition_by", "yoke_select": "a[mask]", "yoke_box_filter": "uniform_filter",
    "yoke_array_broadcast": "broadcast_to", "yoke_array_index": "index", "yoke_histogram_edges": "histogram",
    "yoke_fft_convolve": "fft.convolve", "yoke_array_to_dlpack": "__dlpack__", "yoke_array_from_dlpack": "from_dlpack",
}
