# SPDX-License-Identifier: Apache-2.0
#
# The guide, and the reference, from the comments of the public headers: manual pages, which only take awk, and HTML, which takes
# Doxygen. make site takes cmark-gfm, too, and makes a web site of them.

# Beside the examples, to which the pages lead. Two pages are for those who have the source, and lead into it.
guidedir = $(docdir)/guide
dist_guide_DATA = \
	doc/README.md \
	doc/cancel.md \
	doc/comparison.md \
	doc/concepts.md \
	doc/cpp.md \
	doc/environment.md \
	doc/environment-measuring.md \
	doc/examples.md \
	doc/finding-races.md \
	doc/from-cuda.md \
	doc/from-cupy.md \
	doc/from-opencl.md \
	doc/from-python.md \
	doc/host-functions.md \
	doc/images.md \
	doc/from-numba.md \
	doc/kernels-in-python.md \
	doc/numerics.md \
	doc/one-text.md \
	doc/operations.md \
	doc/performance.md \
	doc/porting-kernels.md \
	doc/python-numpy.md \
	doc/python.md \
	doc/scale-out.md \
	doc/several-devices.md \
	doc/shipping.md \
	doc/troubleshooting.md \
	doc/tutorial-python.md \
	doc/tutorial.md \
	doc/where-it-runs.md
EXTRA_DIST += doc/new-backend.md doc/testing.md
guidepicturesdir = $(guidedir)/pictures
dist_guidepictures_DATA = \
	doc/pictures/failure.svg \
	doc/pictures/kmeans.png \
	doc/pictures/operations.svg \
	doc/pictures/order.svg \
	doc/pictures/overlap.svg \
	doc/pictures/particles.png \
	doc/pictures/scaling.svg \
	doc/pictures/timeline.svg

# README's picture, drawn anew on the best device of this machine: for its maintainer, since it goes into the source. The first run
# fills the driver's cache.
timeline: examples/pipeline tools/yoke
	examples/pipeline && tools/yoke trace --svg $(srcdir)/doc/pictures/timeline.svg examples/pipeline
.PHONY: timeline

reference_headers = \
	include/yoke/yoke.h \
	include/yoke/memory.h \
	include/yoke/image.h \
	include/yoke/program.h \
	include/yoke/args.h \
	include/yoke/half.h \
	include/yoke/types.h \
	include/yoke/check.h \
	include/yoke/graph.h \
	include/yoke/native.h \
	include/yoke/library.h \
	include/yoke/array.h \
	include/yoke/vars.h \
	include/yoke/ops.h \
	include/yoke/matmul.h \
	include/yoke/filter.h \
	include/yoke/fft.h \
	include/yoke/random.h
if HAVE_MPI
reference_headers += include/yoke/comm.h
endif

EXTRA_DIST += build-aux/doxygen.awk build-aux/headers.awk build-aux/links.awk build-aux/man.awk \
	build-aux/man_seven.awk build-aux/man_text.awk build-aux/parameters.txt

# Since which version there is what.
version_maps = build-aux/libyoke.map build-aux/libyoke-ops.map build-aux/libyoke-comm.map
variable_pages = doc/environment.md doc/environment-measuring.md

# doc/man/links has what other names the pages have.
noinst_DATA = doc/man/links doc/where.md

# In which file each public function is: for those who have the source.
doc/where.md: build-aux/where.sh $(libyoke_all_la_SOURCES) $(libyoke_ops_all_la_SOURCES) $(libyoke_comm_la_SOURCES)
	$(AM_V_GEN)$(MKDIR_P) doc && $(SHELL) $(srcdir)/build-aux/where.sh $(srcdir) >$@.part && mv $@.part $@
CLEANFILES += doc/where.md
EXTRA_DIST += build-aux/where.sh

doc/man/links: build-aux/man.awk build-aux/man_seven.awk build-aux/man_text.awk build-aux/headers.awk \
	$(reference_headers) $(variable_pages) \
	doc/examples.md build-aux/parameters.txt $(version_maps) Makefile
	$(AM_V_GEN)rm -rf doc/man doc/man.part && $(MKDIR_P) doc/man.part && here=`pwd` && cd $(srcdir) && \
	LC_ALL=C $(AWK) -v out="$$here/doc/man.part" -v version='$(PACKAGE_VERSION)' -v date='$(YOKE_DATE)' -v guide='$(guidedir)' \
	-f build-aux/man.awk -f build-aux/man_seven.awk -f build-aux/man_text.awk -f build-aux/headers.awk \
	$(reference_headers) $(variable_pages) \
	doc/examples.md build-aux/parameters.txt $(version_maps) && cd "$$here" && mv doc/man.part doc/man

# What links of these pages lead to is in the source, but not all of it is installed.
install-data-hook:
	cd '$(DESTDIR)$(docdir)' && for page in guide/*.md examples/*.md; do \
	    LC_ALL=C $(AWK) -v folder="$${page%/*}" -f '$(abs_top_srcdir)/build-aux/links.awk' "$$page" >"$$page.part" && \
	    $(INSTALL_DATA) "$$page.part" "$$page" && rm "$$page.part" || exit 1; done

man3dir = $(mandir)/man3
man7dir = $(mandir)/man7
install-data-local: doc/man/links
	$(MKDIR_P) '$(DESTDIR)$(man3dir)' '$(DESTDIR)$(man7dir)'
	$(INSTALL_DATA) doc/man/*.3 '$(DESTDIR)$(man3dir)'
	$(INSTALL_DATA) doc/man/*.7 '$(DESTDIR)$(man7dir)'
	while read -r name page; do \
	    (cd '$(DESTDIR)$(man3dir)' && rm -f "$$name" && $(LN_S) "$$page" "$$name") || exit 1; done <doc/man/links

uninstall-local: doc/man/links
	rm -rf '$(DESTDIR)$(htmldir)/html'
	for page in doc/man/*.3 `sed 's/ .*//' doc/man/links`; do rm -f '$(DESTDIR)$(man3dir)'/"$${page##*/}"; done
	for page in doc/man/*.7; do rm -f '$(DESTDIR)$(man7dir)'/"$${page##*/}"; done

# The reference as HTML; and the web site, of which the reference is a part.
site_sources = \
	doc/site/bar.html \
	doc/site/charts.awk \
	doc/site/figures.tsv \
	doc/site/foot.html \
	doc/site/footer.html \
	doc/site/gallery.md \
	doc/site/header.html \
	doc/site/names.awk \
	doc/site/page.awk \
	doc/site/performance.md \
	doc/site/pictures/heat.png \
	doc/site/pictures/nbody.png \
	doc/site/pictures/photos.png \
	doc/site/reference.sh \
	doc/site/search.js \
	doc/site/site.sh \
	doc/site/start.md \
	doc/site/style.css \
	doc/site/topics.awk
EXTRA_DIST += $(site_sources)

if HAVE_DOXYGEN
html-local: doc/Doxyfile
	cd doc && $(SHELL) '$(abs_top_srcdir)/doc/site/reference.sh' '$(abs_top_srcdir)' $(DOXYGEN) $(AWK) $(PACKAGE_VERSION) \
	$(reference_headers)
else
html-local:
	@echo 'configure found no doxygen' >&2; false
endif

install-html-local: html-local
	$(MKDIR_P) '$(DESTDIR)$(htmldir)/html'
	$(INSTALL_DATA) doc/html/* '$(DESTDIR)$(htmldir)/html'

.PHONY: site
if HAVE_CMARK
site: html-local
	$(SHELL) '$(abs_top_srcdir)/doc/site/site.sh' '$(abs_top_srcdir)' $(CMARK) $(AWK) $(PACKAGE_VERSION)
else
site:
	@echo 'configure found no cmark-gfm' >&2; false
endif
