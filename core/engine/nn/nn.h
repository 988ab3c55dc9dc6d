#pragma once

/// Neural networks of layers: ordinary objects, called eagerly, in traced functions and in methods alike.
/// Their variables come into being at the first call; gradients go through all of them.

#include <retracescope/engine/nn/conv2d.h>
#include <retracescope/engine/nn/dense.h>
#include <retracescope/engine/nn/dropout.h>
#include <retracescope/engine/nn/dynamic_rnn.h>
#include <retracescope/engine/nn/losses.h>
#include <retracescope/engine/nn/recurrent_cell.h>
#include <retracescope/engine/nn/sgd.h>
#include <retracescope/engine/nn/trainable_variables.h>
