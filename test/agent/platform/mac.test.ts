import { expect, test } from 'vitest'
import { chooseShell } from '../../../agent/capabilities/pty.ts'
import { availableBytesIn, drivesIn, usersIn } from '../../../agent/platform/mac.ts'

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

test('the memory that programs of a Mac may have is what is free, and what is only kept', () => {
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

test.each<[string, NodeJS.Platform, string]>([
  ['/bin/sh', 'darwin', '/bin/zsh'],
  ['/opt/homebrew/bin/fish', 'darwin', '/opt/homebrew/bin/fish'],
  ['/usr/bin/false', 'darwin', '/bin/zsh'],
  ['/bin/sh', 'linux', '/bin/sh'],
  ['/usr/sbin/nologin', 'linux', '/bin/bash'],
  ['', 'linux', '/bin/bash'],
])('a user with the shell %j on %s gets %s in a terminal', (ofUser, system, shell) => {
  expect(chooseShell(ofUser, system, (file) => file !== '')).toBe(shell)
})
