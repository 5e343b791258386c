import { expect, test } from 'vitest'
import { missingIn } from '../../tools/bare/missing.ts'

test('the summary of a run on an empty machine names each missing program once', () => {
  const output = [
    'Error: spawn openbox ENOENT',
    'Error: spawnSync openssl ENOENT',
    'Error: spawn openssl ENOENT',
    'sh: 1: xprop: not found',
    'bash: line 3: ip: command not found',
    'node: error while loading shared libraries: libatomic.so.1: cannot open shared object file',
    '✓ an unknown command is "not found" on the device',
  ].join('\n')
  expect(missingIn(output)).toEqual(['openbox', 'openssl', 'xprop', 'ip', 'libatomic.so.1'])
})
