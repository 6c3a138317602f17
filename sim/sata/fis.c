/* SPDX-License-Identifier: MIT */
#include "sim/sata/fis.h"

uint32_t
fis_bytes(uint8_t type)
{
	switch (type) {
	case FIS_REGISTER_H2D:
	case FIS_REGISTER_D2H:
	case FIS_PIO_SETUP:
		return FIS_REGISTER_BYTES;
	case FIS_DMA_ACTIVATE:
		return FIS_DMA_ACTIVATE_BYTES;
	case FIS_DMA_SETUP:
		return FIS_DMA_SETUP_BYTES;
	case FIS_SET_DEVICE_BITS:
		return FIS_SDB_BYTES;
	case FIS_DATA:
		return FIS_DATA_HEADER_BYTES;
	default:
		return 0;
	}
}
