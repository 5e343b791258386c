/**
 * Runs in Wine: lists an agent under "Apps", writes to the Event Log, and removes the entry. Prints the entries
 * according to `reg.exe` as one line of JSON.
 */
import { execFileSync } from 'node:child_process'
import { listUnderApps, removeFromApps } from '../../agent/platform/windows/apps.ts'
import { pathsFor } from '../../agent/platform/paths.ts'
import { eventSource, events, registerEventSource, writeEvent } from '../../agent/platform/windows/event-log.ts'

const [dataDir = ''] = process.argv.slice(2)
const program = `${dataDir}\\program`
const spec = {
  instanceId: 'lab',
  run: [process.execPath, `${program}\\main.js`, 'run'],
  uninstall: [process.execPath, `${program}\\main.js`, 'uninstall', '--instance-id', 'lab'],
  paths: { ...pathsFor({ dataDir }), programFolder: import.meta.dirname },
} as const

/** Name, type and text of each value of a key; empty without the key. */
function valuesOf(key: string): string[][] {
  try {
    const output = execFileSync('reg.exe', ['query', key], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return [...output.matchAll(/^ {4}(\S+) {4}(REG_\w+) {4}(.*?)\r?$/gm)].map(([, ...parts]) => parts)
  } catch {
    return []
  }
}

const apps = 'HKLM\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\Farhand.Agent (lab)'
const sources = 'HKLM\\System\\CurrentControlSet\\Services\\EventLog\\Application'

await listUnderApps(spec)
await listUnderApps(spec)
const listed = valuesOf(apps)
await registerEventSource()
await writeEvent(events.installed, 'The Farhand agent was installed: “grüße”.')
const source = valuesOf(`${sources}\\${eventSource}`)
await removeFromApps(spec)
await removeFromApps(spec)
process.stdout.write(`${JSON.stringify({ listed, source, left: valuesOf(apps) })}\n`)
process.exit(0)
