#include "libdt/validate_pass.h"

const struct val_pass_ops val_maps_ops = { NULL, NULL, NULL };
