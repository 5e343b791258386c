import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { systemFolders, type Config } from '../settings/config.ts'
import { ConfigError } from '../settings/config-error.ts'
import { askAddresses } from './control-answers.ts'
import { installation } from '../engines/process/installation.ts'
import { launchd } from '../engines/process/launchd.ts'
import type { ServiceManager, ServiceSpec, Step } from '../engines/process/os-service.ts'
import { systemd } from '../engines/process/systemd.ts'
import { windowsService } from '../engines/process/windows-service.ts'
import { longestDrainMs } from './cluster/drain.ts'
import { preparedProblem } from '../ground/prepared-path.ts'
import { StartError } from '../ground/start-error.ts'
import { systemName } from '../ground/system.ts'
import type { Terminal } from './command.ts'

/** Service managers by operating system. */
const managers: Partial<Record<NodeJS.Platform, (isUser: boolean) => ServiceManager>> = {
  linux: (isUser) => systemd(isUser ? 'user' : 'system', homedir()),
  darwin: () => launchd,
  win32: () => windowsService(systemFolders()),
}

export const usage = () => `Usage: ${installation.program} service COMMAND [--user] [--dry-run]

Runs the server without a window and without anybody signed in, started by the system and again after a crash.

  install     makes an account of its own for the service, registers and starts it
  status      shows what the system says about the service
  uninstall   stops and removes the service; its data stays

  --user      Linux: a service of your own account, on the data folder of your window
  --dry-run   shows what would be done${
    installation.hasWindow && managers[systemName]?.(false).windowOptions.length
      ? '\n\nAs root, and without a display: farhand --no-sandbox --ozone-platform=headless service COMMAND'
      : ''
  }`

/** Time for the stop of a server on its own, longer than the limit of the server itself. */
const stopSeconds = 20

const commands = ['install', 'status', 'uninstall'] as const
type Command = (typeof commands)[number]

/** Parses the arguments after `service`; undefined without any. Throws a `ConfigError` for others. */
export function parseServiceCommand(args: readonly string[]) {
  const [command, ...options] = args
  const unknown = options.filter((option) => option !== '--user' && option !== '--dry-run')
  if (command === undefined) {
    return undefined
  }
  const known = commands.find((each) => each === command)
  if (!known || unknown.length > 0) {
    const message = known
      ? `${unknown.join(' ')} is no option of service ${known}`
      : 'needs install, status or uninstall; --help explains them'
    throw new ConfigError([{ key: 'service', source: 'command line', message }])
  }
  return { command: known, isUser: options.includes('--user'), isDry: options.includes('--dry-run') }
}

function managerOf(isUser: boolean): ServiceManager {
  const manager = managers[systemName]?.(isUser)
  if (!manager) {
    throw new StartError(`${systemName} has no service manager that Farhand knows.`)
  }
  return manager
}

const commandLine = ({ windowOptions }: ServiceManager): [string, ...string[]] =>
  installation.hasWindow
    ? [process.execPath, '--headless', ...windowOptions]
    : [process.execPath, installation.headlessEntry, '--headless']

/** Description of the service that `config` asks for. */
export function specOf(config: Config, manager: ServiceManager, isUser: boolean): ServiceSpec {
  const isGiven = (key: string) => (config.sources.get(key) ?? 'default') !== 'default'
  const dataDirectory = isUser || isGiven('DataDirectory') ? config.dataDirectory : manager.dataDirectory
  const urls = config.urls.map(({ scheme, host, port }) => `${scheme}://${host}:${port}`).join(';')
  const command = commandLine(manager)
  return {
    command: isUser ? command : [...command, '--announce', manager.windowFolder],
    dataDirectory,
    stopSeconds: stopSeconds + (config.cluster.redisUrl === undefined ? 0 : longestDrainMs(config.cluster) / 1_000),
    account: isUser ? undefined : manager.account,
    environment: {
      Service_DataDirectory: dataDirectory,
      ...(isGiven('Urls') && { Service_Urls: urls }),
      ...(config.settingsFile !== undefined && { Service_ConfigFile: config.settingsFile }),
      ...(!manager.keepsOutput && { Service_Logging__Directory: join(dataDirectory, 'logs') }),
    },
  }
}

/**
 * The service of the whole computer, as every user sees it: whether it is installed, and where it announces itself.
 * Undefined where this system has none.
 */
export function systemService(): { isInstalled(): boolean; windowFolder: string; describe: string } | undefined {
  try {
    const { definition = '', windowFolder, describe } = managerOf(false)
    return { isInstalled: () => existsSync(definition), windowFolder, describe }
  } catch {
    return undefined
  }
}

const describeStep = (step: Step): string => {
  if ('unprepared' in step) {
    return `check that nobody else prepared ${step.unprepared}`
  }
  if ('run' in step) {
    return `run ${step.run.map((part) => (/^[\w./:=@-]+$/.test(part) ? part : JSON.stringify(part))).join(' ')}`
  }
  if ('call' in step) {
    return step.purpose
  }
  if ('file' in step) {
    return `write ${step.file}\n${step.content}`
  }
  return 'folder' in step ? `make the folder ${step.folder}` : `remove ${step.remove}`
}

const uidOf = (account: string) => Number(execFileSync('id', ['-u', account], { encoding: 'utf8' }))

/** Throws for a folder that somebody else made or may change: modes and owners would be set where its links lead. */
function refusePrepared({ unprepared, account }: Extract<Step, { unprepared: string }>): void {
  const problem = preparedProblem(unprepared, [uidOf(account)])
  if (problem !== undefined) {
    throw new StartError(`The service was not installed: ${problem}.`)
  }
}

export async function carryOut(step: Step): Promise<void> {
  if ('call' in step) {
    await step.call()
  } else if ('unprepared' in step) {
    refusePrepared(step)
  } else if ('file' in step) {
    writeFileSync(step.file, step.content, { mode: step.mode })
    chmodSync(step.file, step.mode)
  } else if ('folder' in step) {
    mkdirSync(step.folder, { recursive: true, mode: step.mode })
    chmodSync(step.folder, step.mode)
  } else if ('remove' in step) {
    rmSync(step.remove, { force: true, recursive: true })
  } else {
    const [program, ...args] = step.run
    try {
      execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', windowsHide: true })
    } catch (error) {
      if (step.mayFail !== true) {
        const { stderr = '', message } = error as { stderr?: string; message: string }
        throw new StartError(`${describeStep(step).replace('run ', '')} failed: ${stderr.trim() || message}`)
      }
    }
  }
}

function showStatus(manager: ServiceManager, say: (line: string) => void): number {
  if (manager.definition !== undefined && !existsSync(manager.definition)) {
    say(`The ${manager.describe} is not installed. "service install" installs it.`)
    return 3
  }
  const [program, ...args] = manager.status
  try {
    say(execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', windowsHide: true }).trim())
    return 0
  } catch (error) {
    const { stdout = '', message } = error as { stdout?: string; message: string }
    say(stdout.trim() || message)
    return 1
  }
}

/** Runs `service` with its arguments; returns the exit status. */
export async function serviceCommand(args: readonly string[], { say, loadConfig }: Terminal): Promise<number> {
  const request = parseServiceCommand(args)
  if (!request) {
    say(usage())
    return 0
  }
  const { command, isUser, isDry } = request
  const manager = managerOf(isUser)
  const spec = specOf(loadConfig(), manager, isUser)
  if (command === 'status') {
    const status = showStatus(manager, say)
    await sayServed(spec, say)
    return status
  }
  const steps = command === 'install' ? manager.install(spec) : manager.uninstall()
  if (isDry) {
    steps.map(describeStep).forEach(say)
    return 0
  }
  if (command === 'install' && !existsSync(manager.definition ?? '') && (await isServed(spec))) {
    throw new StartError(
      `A server runs on ${spec.dataDirectory}, which one server uses at a time. Quit that window or server, then install the service.`,
    )
  }
  requireAdministrator(command, isUser, manager)
  for (const step of steps) {
    await carryOut(step)
  }
  say(doneText(command, manager, spec))
  if (command === 'install') {
    await sayHowToBegin(spec, say)
  }
  return 0
}

const startLimitMs = 15_000

/**
 * Prints addresses and setup code of the service to users who may read its data, since these may create the first
 * account. Returns whether the service answered.
 */
async function sayServed({ dataDirectory }: ServiceSpec, say: (line: string) => void): Promise<boolean> {
  const served = await askAddresses(dataDirectory).catch(() => undefined)
  // A server that has just started listens nowhere yet.
  const isListening = served !== undefined && served.urls.length > 0
  if (isListening) {
    say(`Open it in the window of Farhand, or at ${served.urls.join(' or ')}.`)
    if (served.setupCode !== null) {
      say(`Setup code for the first account: ${served.setupCode}`)
    }
  }
  return isListening
}

async function sayHowToBegin(spec: ServiceSpec, say: (line: string) => void): Promise<void> {
  for (const end = Date.now() + startLimitMs; Date.now() < end; await wait(500)) {
    if (await sayServed(spec, say)) {
      return
    }
  }
  say('The service has not answered yet. "service status" shows its state.')
}

const isServed = async ({ dataDirectory }: ServiceSpec) => (await askAddresses(dataDirectory)) !== undefined

function requireAdministrator(command: Command, isUser: boolean, { hasUserServices }: ServiceManager): void {
  if (process.getuid !== undefined && process.getuid() !== 0 && !isUser) {
    const user = hasUserServices ? ', or use --user for a service of your own account' : ''
    throw new StartError(`service ${command} changes this computer: run it with sudo${user}. service --help shows how.`)
  }
}

const doneText = (command: Command, { describe }: ServiceManager, { dataDirectory }: ServiceSpec) =>
  command === 'install'
    ? `The ${describe} runs on ${dataDirectory}, starts with this computer, and is started again after a crash.`
    : `The ${describe} is removed. Its data is still in ${dataDirectory}.`
