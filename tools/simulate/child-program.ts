import { spawn, type ChildProcess, type SpawnOptions, type StdioOptions } from 'node:child_process'
import { join } from 'node:path'

const endsWithParent = join(import.meta.dirname, 'ends-with-parent.mjs')

/**
 * Starts a Node program that ends with this process, whatever ends this process: a test that fails, times out or is
 * killed leaves no program behind.
 */
export const startChild = (
  args: readonly string[],
  stdio: ['ignore', 'pipe', 'pipe' | 'inherit'],
  options: Omit<SpawnOptions, 'stdio'> = {},
): ChildProcess => {
  const withPipe: StdioOptions = [...stdio, 'pipe']
  return spawn(process.execPath, ['--import', endsWithParent, ...args], { ...options, stdio: withPipe })
}
