/*
 * Facts about the host, as stage.json tells them.
 *
 * Ownership: trees are the caller's (cJSON_Delete()).
 */
#ifndef CAPTURE_HOST_H
#define CAPTURE_HOST_H

#include <cjson/cJSON.h>

#include "libdt/msg.h"

/*
 * `host`: hostname, os, release, version, machine, cpus, cpu_model, governor,
 * clocksource, page_size, clk_tck, boot_id. Sources: uname(2), sysconf(3),
 * /proc/cpuinfo, /sys/devices/system/cpu, /proc/sys/kernel/random/boot_id.
 * NULL with m only without memory or boot id.
 */
cJSON *host_json(struct msg *m);

#endif
