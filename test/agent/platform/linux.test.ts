import { expect, test } from 'vitest'
import { drivesIn } from '../../../agent/platform/linux/linux.ts'

const root = { rootDirectory: '/', driveFormat: 'ext4', volumeLabel: '/' }

test.each([
  ['a mounted root', '/dev/vda1 / ext4 rw 0 0\nproc /proc proc rw 0 0\n', root],
  ['a chroot, whose root is not listed', 'proc /proc proc rw 0 0\n', { ...root, driveFormat: '' }],
  ['a system without /proc', '', { ...root, driveFormat: '' }],
])('the drives of %s begin with /', async (_, mountTable, first) => {
  expect(await drivesIn(mountTable)).toEqual([first])
})
