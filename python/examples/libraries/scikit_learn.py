# SPDX-License-Identifier: Apache-2.0
# scikit-learn on the device: with array_api_dispatch its scalers, models, distances and metrics take Yoke's arrays.
import os

os.environ["SCIPY_ARRAY_API"] = "1"  # which scikit-learn asks for, before SciPy is imported

import numpy
import sklearn
from sklearn.metrics import accuracy_score, mean_squared_error, r2_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import yoke

sklearn.set_config(array_api_dispatch=True)

# Two clouds of points in three dimensions, which are 4 apart.
generator = numpy.random.default_rng(1)
labels = generator.integers(0, 2, 400)
points = (generator.normal(size=(400, 3)) + 4 * labels[:, None]).astype("float32")
x, y = yoke.asarray(points), yoke.asarray(labels)

scaled = make_pipeline(StandardScaler(), MinMaxScaler()).fit_transform(x)
assert isinstance(scaled, yoke.Array) and abs(scaled.min().item()) < 1e-6 and abs(scaled.max().item() - 1) < 1e-6

train, test, train_labels, test_labels = train_test_split(x, y, random_state=0)
model = GaussianNB().fit(train, train_labels)
found = model.predict(test)
assert isinstance(found, yoke.Array) and isinstance(model.theta_, yoke.Array)
assert accuracy_score(test_labels, found) > 0.97
expected = GaussianNB().fit(train.to_numpy(), train_labels.to_numpy())
numpy.testing.assert_allclose(model.theta_.to_numpy(), expected.theta_, rtol=1e-4, atol=1e-4)
assert found.tolist() == expected.predict(test.to_numpy()).tolist()

numpy.testing.assert_allclose(rbf_kernel(x, x[:5]).to_numpy(), rbf_kernel(points, points[:5]), atol=1e-5)
values = points[:, 0] * 2
assert abs(mean_squared_error(yoke.asarray(values), yoke.asarray(values + 1)) - 1) < 1e-5
assert r2_score(yoke.asarray(values), yoke.asarray(values)) == 1
print("scikit-learn on the device: right")
