import { existsSync, readFileSync } from 'node:fs'
import { HealthReportDto } from '../../shared/dtos/health-report.ts'
import type { Config } from '../settings/config.ts'
import { ConfigError } from '../settings/config-error.ts'
import { askHealth } from '../surface/control-answers.ts'
import { inspectDatabase } from '../engines/database/inspect.ts'
import { installation } from '../engines/process/installation.ts'
import { holdsDatabase, pathsIn } from '../engines/database/folder.ts'
import { printable } from '../ground/printable.ts'
import { createLog, type Log } from '../ground/log.ts'
import { DiskSpace } from './disk-space.ts'
import type { Terminal } from '../surface/command.ts'

export const usage = `Usage: ${installation.program} doctor [--config FILE]

Shows the health of the server that runs on the data folder, or checks the folder if no server runs on it. Ends with 1
if there is a problem.`

type Row = Omit<HealthReportDto['checks'][number], 'since'>

const marks = { ok: 'ok     ', warning: 'WARNING', problem: 'PROBLEM' } as const

function linesOf(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(({ title }) => title.length))
  return rows.flatMap(({ title, state, summary, advice }) => [
    `${marks[state]}  ${title.padEnd(width)}  ${summary}`,
    ...(advice === null ? [] : [`${' '.repeat(9 + width + 2)}${advice}`]),
  ])
}

/** Checks that need no running server. */
async function checksOfStopped({ dataDirectory, appOptions }: Config, log: Log): Promise<Row[]> {
  const rows: Row[] = [
    {
      id: 'server',
      title: 'Server',
      state: 'problem',
      summary: `No server runs on ${dataDirectory}`,
      advice: 'Start the window, the service ("service status" shows it) or the headless server.',
    },
  ]
  const space = await new DiskSpace({
    directory: dataDirectory,
    leastFree: () => appOptions.minFreeDiskSpace,
    log,
  }).read()
  const isLow = space !== undefined && space.free < appOptions.minFreeDiskSpace
  rows.push({
    id: 'disk',
    title: 'Disk',
    state: space === undefined || isLow ? 'problem' : 'ok',
    summary: space === undefined ? 'The data folder cannot be read' : `${Math.floor(space.free / 1024 ** 2)} MiB free`,
    advice: space === undefined ? 'Check Service_DataDirectory.' : isLow ? 'Make room on the disk.' : null,
  })
  if (!holdsDatabase(dataDirectory)) {
    const advice = 'Name the folder in Service_DataDirectory, or start the server to create it.'
    rows.push({ id: 'database', title: 'Database', state: 'problem', summary: 'There is none', advice })
    return rows
  }
  const { postgres } = pathsIn(dataDirectory)
  if (existsSync(postgres)) {
    const summary = readFileSync(postgres, 'utf8').trim()
    rows.push({ id: 'database', title: 'Database', state: 'ok', summary, advice: null })
    return rows
  }
  const problem = await inspectDatabase(dataDirectory, log)
  rows.push({
    id: 'database',
    title: 'Database',
    state: problem === undefined ? 'ok' : 'problem',
    summary: problem ?? 'Whole',
    advice:
      problem === undefined ? null : 'Restore the newest backup. The damaged file stays as it is until you move it.',
  })
  return rows
}

/** Runs `doctor`: the report of the running server, or checks of the data folder. Returns the exit status, 1 for a problem. */
export async function doctorCommand([word]: readonly string[], { say, loadConfig }: Terminal): Promise<number> {
  if (word !== undefined) {
    throw new ConfigError([{ key: 'doctor', source: 'command line', message: 'takes no argument; --help explains it' }])
  }
  const config = loadConfig()
  const answer = HealthReportDto.safeParse(await askHealth(config.dataDirectory))
  const rows = answer.success
    ? answer.data.checks
    : await checksOfStopped(config, createLog({ default: 'None' }, process.stderr))
  linesOf(rows).map(printable).forEach(say)
  return rows.some(({ state }) => state === 'problem') ? 1 : 0
}
