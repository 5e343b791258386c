import { readdirSync, readFileSync } from 'node:fs'
import type { XDisplay } from '../../../tools/simulate/display.ts'

const read = (pid: string, name: string) => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** Command lines of the browsers on a display, one per window of ours. */
export const chromiumsOn = (display: XDisplay): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(name, 'environ').split('\0').includes(`DISPLAY=${display.name}`))
    .map((pid) => read(pid, 'cmdline'))
    .filter((line) => line.includes('--app=') && !line.includes('--type='))
