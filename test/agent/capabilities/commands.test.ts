import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Commands } from '../../../agent/capabilities/commands.ts'
import { systemClock } from '../../../agent/base/clock.ts'
import { platform } from '../../../agent/platform/index.ts'
import { endCommandType, runCommandType, type RunCommand } from '../../../shared/dtos/run-command.ts'
import { isNight } from '../../support/night.ts'
import { until } from '../../support/until.ts'
import { collectingLog } from '../support.ts'

const message = (dtoType: string, payload: object) => ({
  dtoType,
  payload: Buffer.from(JSON.stringify(payload)).toString('base64'),
  sendTimestamp: 0,
})

const incomplete = 'The command arrived incomplete, so none of it was run.\n'

function device() {
  const log = collectingLog()
  const commands = new Commands({ clock: systemClock, log })
  const folder = mkdtempSync(join(tmpdir(), 'farhand-commands-'))
  onTestFinished(() => {
    commands.endAll()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    log,
    file: (name: string) => join(folder, name),
    run: (command: string, more: Partial<RunCommand> = {}) =>
      commands.receive(
        message(runCommandType, {
          runId: randomUUID(),
          command,
          timeLimitSeconds: 60,
          maxOutputBytes: 65_536,
          ...more,
        }),
      ),
    end: (runId: string) => commands.receive(message(endCommandType, { runId })),
    receive: (dtoType: string) => commands.receive(message(dtoType, {})),
  }
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    // In a container without an init process, a killed process that nobody reaps stays a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const pidIn = (file: string) =>
  until(() => (existsSync(file) && readFileSync(file, 'utf8').endsWith('\n') ? Number(readFileSync(file, 'utf8')) : 0))

test('a command answers with its exit code and both outputs', async () => {
  const { run } = device()
  expect(await run('echo größer; echo oh >&2; exit 3')).toEqual({
    isSuccess: true,
    reason: null,
    errorCode: null,
    value: { endedBy: 'itself', exitCode: 3, output: 'größer\n', errorOutput: 'oh\n', isCut: false },
  })
})

test('a long output is cut to its end, at a whole character', async () => {
  const { run } = device()
  const answer = await run(`i=0; while [ $i -lt 5000 ]; do echo größer; i=$((i+1)); done; printf 'é%.0s' 1 2 3`, {
    maxOutputBytes: 5,
  })
  expect(answer?.value).toMatchObject({ output: 'éé', isCut: true })
})

test('a command that exceeds its time limit is killed with its child processes, even if they ignore signals', async () => {
  const { run, file } = device()
  const answer = run(`sh -c 'trap "" TERM; echo $$ > ${file('child')}; while :; do sleep 1; done' & echo begun; wait`, {
    timeLimitSeconds: 1,
  })
  const child = await pidIn(file('child'))
  expect((await answer)?.value).toMatchObject({ endedBy: 'time-limit', output: 'begun\n' })
  await until(() => !isAlive(child))
})

test('a canceled command ends, and answers the output until then', async () => {
  const { run, end, file } = device()
  const runId = randomUUID()
  const answer = run(`echo begun; echo $$ > ${file('own')}; sleep 1000`, { runId })
  const own = await pidIn(file('own'))
  await end(runId)
  expect((await answer)?.value).toMatchObject({ endedBy: 'request', exitCode: null, output: 'begun\n' })
  expect(isAlive(own)).toBe(false)
})

test('a background program of a command is not waited for, and continues', async () => {
  const { run, file } = device()
  const answer = await run(`sleep 1000 & echo $! > ${file('left')}; echo done`)
  const left = await pidIn(file('left'))
  onTestFinished(() => void process.kill(left, 'SIGKILL'))
  expect(answer?.value).toMatchObject({ endedBy: 'itself', exitCode: 0, output: 'done\n' })
  expect(isAlive(left)).toBe(true)
})

test('a ninth command at a time is rejected, and so is the id of a running command', async () => {
  const { run, end } = device()
  const ids = Array.from({ length: 8 }, () => randomUUID())
  const answers = ids.map((runId) => run('sleep 1000', { runId }))
  expect((await run('echo ninth'))?.reason).toBe('This device runs 8 commands already.')
  expect((await run('echo twice', { runId: ids[0]! }))?.reason).toBe('This command runs already.')
  await Promise.all(ids.map(end))
  await Promise.all(answers)
  expect((await run('echo ninth'))?.value?.output).toBe('ninth\n')
})

test('other messages get no answer, and the log names no command', async () => {
  const { run, receive, log } = device()
  expect(await receive('chat-sound')).toBeNull()
  await run('echo s3cret-in-command')
  expect(JSON.stringify(log.lines)).not.toContain('s3cret')
})

test('a command with a NUL character is rejected, and appears in neither the answer nor the log (T16)', async () => {
  const { run, log } = device()
  const answer = await run('echo s3cret-in-command\0').catch(String)
  expect(answer).toMatchObject({ isSuccess: false, reason: 'A command cannot contain a NUL character.' })
  expect(JSON.stringify([answer, log.lines])).not.toContain('s3cret')
})

test.skipIf(process.platform !== 'linux')(
  'a command appears on no command line, and its input is empty (T16)',
  async () => {
    const { run, file } = device()
    const secret = `secret-${randomUUID()}`
    const answer = run(
      `echo $$ > ${file('own')}; cat; echo "$# of $0"; while [ ! -e ${file('go')} ]; do sleep 0.05; done # ${secret}`,
    )
    const own = await pidIn(file('own'))
    const listed = readFileSync(`/proc/${own}/cmdline`, 'utf8') + readFileSync(`/proc/${own}/environ`, 'utf8')
    writeFileSync(file('go'), '')
    expect(listed).not.toContain(secret)
    expect((await answer)?.value).toMatchObject({ exitCode: 0, output: '0 of /bin/sh\n' })
  },
)

test.skipIf(process.platform === 'win32')(
  'a command may be longer than an argument, and have several lines',
  async () => {
    const { run } = device()
    const answer = await run(
      `# ${'x'.repeat(200_000)}\nfor word in one two; do\n  echo $word\ndone\ncat <<end\nthree\nend`,
    )
    expect(answer?.value).toMatchObject({ exitCode: 0, output: 'one\ntwo\nthree\n' })
  },
)

test.skipIf(process.platform === 'win32')('an incomplete command is not run, wherever it is cut', async () => {
  const { file } = device()
  const { line, input } = platform.commandLine(`: > ${file('ran')}; echo größer\n: > ${file('ran')}\n`)
  const [program, ...args] = line
  const bytes = Buffer.from(input ?? '')
  const run = (part: Buffer) => spawnSync(program, args, { input: part, encoding: 'utf8' })
  // By day every 17th length: 17 divides no line length, so the cuts fall on different places of the lines.
  for (let length = 0; length < bytes.length; length += isNight ? 1 : 17) {
    expect(run(bytes.subarray(0, length))).toMatchObject({ status: 126, stderr: incomplete })
    expect(existsSync(file('ran')), `the first ${length} bytes`).toBe(false)
  }
  expect(run(bytes)).toMatchObject({ status: 0, stdout: 'größer\n' })
  expect(existsSync(file('ran'))).toBe(true)
})
