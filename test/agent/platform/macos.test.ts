import { expect, test } from 'vitest'
import { availableBytesIn, drivesIn, macShellOf, usersIn } from '../../../agent/platform/macos/macos.ts'
import { loginShellOf } from '../../../agent/platform/unix/terminals.ts'

test('the drives of a Mac are those that people see', () => {
  const output = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s6 on /System/Volumes/VM (apfs, local, noexec, journaled, noatime, nobrowse)
/dev/disk3s2 on /System/Volumes/Preboot (apfs, local, journaled, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect, root data)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
/dev/disk5s1 on /Volumes/Time (Machine) (hfs, local, nodev, nosuid, journaled, noowners)
//ada@nas._smb._tcp.local/share on /Volumes/share (smbfs, nodev, nosuid, mounted by ada)
`
  expect(drivesIn(output)).toEqual([
    { rootDirectory: '/', driveFormat: 'apfs', volumeLabel: 'Macintosh HD' },
    { rootDirectory: '/Volumes/Time (Machine)', driveFormat: 'hfs', volumeLabel: 'Time (Machine)' },
  ])
})

test('available memory of a Mac is free memory and caches', () => {
  const output = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               10000.
Pages active:                            371632.
Pages inactive:                          300000.
Pages speculative:                         2000.
Pages throttled:                              0.
Pages wired down:                        142021.
Pages purgeable:                           3000.
"Translation faults":                 934017362.
`
  expect(availableBytesIn(output)).toBe(315_000 * 16_384)
})

test('the people at a Mac are named once each', () => {
  const output = `ada              console      Nov 21 09:14 
grace            ttys000      Nov 21 09:20 
ada              ttys001      Nov 21 10:02 
`
  expect(usersIn(output)).toEqual(['ada', 'grace'])
})

const isThere = (file: string) => file !== ''

test.each([
  ['/bin/sh', '/bin/zsh'],
  ['/opt/homebrew/bin/fish', '/opt/homebrew/bin/fish'],
  ['/usr/bin/false', '/bin/zsh'],
])('a Mac user with the shell %j gets %s in a terminal', (ofUser, shell) => {
  expect(macShellOf(ofUser, isThere)).toBe(shell)
})

test.each([
  ['/bin/sh', '/bin/sh'],
  ['/usr/sbin/nologin', '/bin/bash'],
  ['', '/bin/bash'],
])('a Linux user with the shell %j gets %s in a terminal', (ofUser, shell) => {
  expect(loginShellOf(ofUser, [], isThere)).toBe(shell)
})
