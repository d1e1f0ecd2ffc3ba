# SPDX-License-Identifier: Apache-2.0
# xarray's labels over arrays on the device: selection, alignment and reductions by name; .data is the Array.
import numpy
import xarray

import yoke

values = numpy.random.default_rng(1).integers(-9, 10, (12, 5)).astype("float32")
coordinates = {"month": numpy.arange(1, 13), "place": list("abcde")}
ours = xarray.DataArray(yoke.asarray(values), dims=("month", "place"), coords=coordinates)
theirs = xarray.DataArray(values, dims=("month", "place"), coords=coordinates)


def program(x):
    summer = x.sel(month=slice(6, 8))
    yield summer.sum("month")
    yield x.sel(place="c") * 2 + x.isel(month=0)
    yield x.where(x > 0, 0.0).sum()
    yield x.diff("month")
    yield numpy.exp(x / 9).transpose("place", "month")
    yield xarray.concat([summer, summer + 1], "month").sum("place")


for result, expected in zip(program(ours), program(theirs), strict=True):
    assert isinstance(result.data, yoke.Array) and result.dims == expected.dims
    numpy.testing.assert_allclose(result.data.to_numpy(), expected.data, rtol=1e-5)
    for name in expected.coords:
        assert result.coords[name].equals(expected.coords[name])
print("labels over arrays on the device: right")
