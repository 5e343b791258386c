import { plural } from '../../../shared/plural.ts'
import { deviceCount } from '../../text/format.ts'

export const wall = {
  title: 'Screens',
  openHint: (most: number) => `Live pictures of up to ${plural(most, 'device', 'devices')}.`,
  intro: 'A new picture every few seconds. Click one to take the device over.',
  none: 'No device to show',
  noneHint: 'Select devices in the list, then choose Screens.',
  toList: 'Devices',
  tooMany: (shown: number, all: number) => `The first ${shown} of ${deviceCount(all)} are shown.`,
  take: (name: string) => `Control ${name}`,
  picture: (name: string) => `Screen of ${name}`,
  waiting: 'Waiting for the picture…',
  noDesktop: 'No desktop can be shown.',
  noRight: 'You do not have permission to see pictures of this device.',
  desktops: (number: number) => plural(number, 'desktop', 'desktops'),
  gone: 'This device no longer exists, or you may not see it.',
}
