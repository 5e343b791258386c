import { join } from 'node:path/win32'
import type { CommandLine } from '../../base/command-line.ts'
import { environment } from '../../base/environment.ts'
import { UserError } from '../../base/errors.ts'
import type { OutlivingProcess } from '../platform.ts'
import { quoteArgument } from '../../../shared/windows/command-line.ts'
import { superviseProcess } from './created-process.ts'
import { common, reasonOf } from './library.ts'
import { fileapi } from './win32/fileapi.ts'
import { creation, processthreadsapi, type ProcessInformation } from './win32/processthreadsapi.ts'

const systemFolder = join(environment.windows, 'System32')
const access = { read: 0x8000_0000, append: 0x4 } as const
const sharedByAll = 7
const openOrCreate = 4
const invalid = -1
const usesStreams = 0x100
const accessDenied = 5

/**
 * Creates a process without a window that outlives this one. Node's `detached` gives a process no console at all, and
 * PowerShell without a console ends with 0 without running its script; Node's other processes end with this one.
 */
export async function createOutliving(
  program: string,
  commandLine: string,
  outputFile = 'NUL',
): Promise<OutlivingProcess> {
  const [{ closeHandle, lastError }, files, processes] = await Promise.all([common(), fileapi(), processthreadsapi()])
  const open = (file: string, wanted: number) =>
    files.createFile(
      file,
      wanted,
      sharedByAll,
      { length: files.securityAttributesSize, isInherited: true },
      openOrCreate,
      0,
      0,
    )
  const streams = [open('NUL', access.read), open(outputFile, access.append)]
  try {
    if (streams.includes(invalid)) {
      throw new UserError(`Windows did not open ${outputFile}: ${reasonOf(lastError())}.`)
    }
    const [input, output] = streams
    const startup = { length: processes.startupSize, flags: usesStreams, streams: [input, output, output] }
    const information: Partial<ProcessInformation> = {}
    const create = (flags: number) =>
      processes.createProcess(program, commandLine, null, null, true, flags, null, systemFolder, startup, information)
    // A job may forbid its processes to leave; the new process then ends with the job.
    const isStarted =
      create(creation.noWindow | creation.breakaway) || (lastError() === accessDenied && create(creation.noWindow))
    if (!isStarted) {
      throw new UserError(`Windows did not start ${program}: ${reasonOf(lastError())}.`)
    }
    const { process: handle = 0, thread = 0 } = information
    closeHandle(thread)
    const { ended } = await superviseProcess(handle, closeHandle, false)
    return { ended: ended.then((status) => `status ${status}`) }
  } finally {
    streams.filter((stream) => stream !== invalid).forEach(closeHandle)
  }
}

export const startOutliving = async ([program, ...args]: CommandLine, outputFile?: string): Promise<OutlivingProcess> =>
  await createOutliving(program, [program, ...args].map(quoteArgument).join(' '), outputFile)
