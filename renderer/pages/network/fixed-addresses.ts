import type { FixedSettingDto, NetworkDto } from '../../../shared/dtos/network.ts'

/** The setting that serves the network in place of the switch and its port, where one does. */
export const fixedAddresses = ({ fixed }: NetworkDto): FixedSettingDto | undefined =>
  fixed.find(({ what, value }) => what === 'addresses' && value?.includes('https://'))
