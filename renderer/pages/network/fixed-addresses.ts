import type { FixedSettingDto, NetworkDto } from '../../../shared/dtos/network.ts'

/** Setting that overrides the switch and the port, if there is one. */
export const fixedAddresses = ({ fixed }: NetworkDto): FixedSettingDto | undefined =>
  fixed.find(({ what, value }) => what === 'addresses' && value?.includes('https://'))
