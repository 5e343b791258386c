/**
 * Runs in Wine: tests that a process of `startOutliving` has a console, and goes on after the end of the process that
 * started it. Prints what the first process saw as one line of JSON; the second one writes to the file.
 */
import { setTimeout as wait } from 'node:timers/promises'
import koffi from 'koffi'
import { startOutliving } from '../../agent/platform/windows/outliving-process.ts'

const [, program = '', file = '', role, word, starter] = process.argv
const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

if (role === 'outliving') {
  const codePage = koffi.load('kernel32.dll').func('uint32 __stdcall GetConsoleOutputCP()') as () => number
  process.stdout.write(`started ${word}\n`)
  while (isRunning(Number(starter))) {
    await wait(100)
  }
  process.stdout.write(`goes on ${codePage() === 0 ? 'without' : 'with'} a console\n`)
} else {
  const ours = [process.execPath, program, file] as const
  await startOutliving([...ours, 'outliving', 'with "quotes" and blanks\\', String(process.pid)], file)
  const { ended } = await startOutliving([process.execPath, '-e', 'process.exit(7)'])
  const missing = await startOutliving(['C:\\there is none.exe']).then(
    () => 'started',
    (error: Error) => error.message,
  )
  const how = await Promise.race([ended, wait(20_000, 'still running')])
  process.stdout.write(`${JSON.stringify({ how, missing })}\n`)
  process.exit(0)
}
