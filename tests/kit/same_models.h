/* SPDX-License-Identifier: MIT */
#ifndef PV_TESTS_SAME_MODELS_H
#define PV_TESTS_SAME_MODELS_H

#include "common/model/model.h"

/*
 * Every figure of two models is the same, whatever the numbers of their nodes, stacks and methods.
 * What folds at the cap of the call tree depends on the order, so that is not compared.
 */
void ck_same_models(const struct pv_model *a, const struct pv_model *b);

#endif
