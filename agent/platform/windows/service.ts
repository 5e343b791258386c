import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path/win32'
import { environment } from '../../base/config.ts'
import { quoteArgument } from './command-line.ts'
import { events, eventSource, registerEventSource, writeEvent } from './event-log.ts'
import { agentVersion } from '../../base/version.ts'
import { writeFileAtomically } from '../../base/write-file.ts'
import { runOrExplain, runWith, tryRun } from '../../base/run-tool.ts'
import type { ServiceManager, ServiceSpec } from '../service-manager.ts'
import { listUnderApps, removeFromApps } from './apps.ts'

/** Command for people, at a stable path; it names a version. */
export const commandFile = 'Farhand.Agent.cmd'

/** SID of the Users group: the process of a desktop runs as its user and must be able to read the program. */
const everyUser = '*S-1-5-32-545'

const serviceName = ({ instanceId }: ServiceSpec) => `Farhand.Agent${instanceId ? ` (${instanceId})` : ''}`

const system32 = (file: string) => join(environment.windows, 'System32', file)
const sc = (...args: string[]) => runOrExplain(system32('sc.exe'), ...args)
const trySc = (...args: string[]) => tryRun(system32('sc.exe'), ...args)

/** Path of the C# compiler of .NET Framework, which every supported Windows includes. */
const compiler = () => {
  const inFramework = (name: string) => join(environment.windows, 'Microsoft.NET', name, 'v4.0.30319', 'csc.exe')
  return existsSync(inFramework('Framework64')) ? inFramework('Framework64') : inFramework('Framework')
}

const csharpString = (text: string) => `@"${text.replaceAll('"', '""')}"`

/**
 * C# source of the service host. The service control manager requires a program that responds to it, which Node does
 * not: the host starts the agent, restarts it five seconds after an exit, and terminates it with the service. Exits are
 * written to the Event Log, at most once an hour.
 */
export function hostSource(spec: ServiceSpec): string {
  const [program, ...args] = spec.run
  return `using System;
using System.Diagnostics;
using System.ServiceProcess;
using System.Threading;

class Host : ServiceBase {
  readonly ManualResetEvent stopping = new ManualResetEvent(false);
  Thread supervisor;
  DateTime lastReport = DateTime.MinValue;

  Host() {
    ServiceName = ${csharpString(serviceName(spec))};
    AutoLog = false;
  }

  protected override void OnStart(string[] args) {
    supervisor = new Thread(Supervise);
    supervisor.Start();
  }

  protected override void OnStop() {
    stopping.Set();
    supervisor.Join(10000);
  }

  void Report(string text) {
    if (DateTime.UtcNow - lastReport < TimeSpan.FromHours(1)) {
      return;
    }
    lastReport = DateTime.UtcNow;
    try {
      System.Diagnostics.EventLog.WriteEntry(${csharpString(eventSource)}, text, EventLogEntryType.Error, ${events.agentEnded});
    } catch (Exception) {
      // The agent runs even if the Event Log is full or access is denied.
    }
  }

  void Supervise() {
    do {
      try {
        RunAgent();
      } catch (Exception error) {
        Report("The Farhand agent could not be started: " + error.Message);
      }
    } while (!stopping.WaitOne(5000));
  }

  void RunAgent() {
    var start = new ProcessStartInfo(${csharpString(program)}, ${csharpString(args.map(quoteArgument).join(' '))});
    start.UseShellExecute = false;
    start.CreateNoWindow = true;
    using (var agent = Process.Start(start)) {
      while (!agent.WaitForExit(200)) {
        if (stopping.WaitOne(0)) {
          agent.Kill();
        }
      }
      if (!stopping.WaitOne(0)) {
        Report("The Farhand agent ended with status " + agent.ExitCode + " and is started again. Its log: " +
          ${csharpString(join(spec.paths.logFolder, 'LogFile.log'))});
      }
    }
  }

  static void Main() {
    ServiceBase.Run(new Host());
  }
}
`
}

const hostFile = ({ version, paths }: ServiceSpec) => join(version ?? paths.programFolder, 'Farhand.Agent.Service.exe')

/** Compiles one host per version, so that no file of a running service has to be replaced. */
async function compileHost(spec: ServiceSpec) {
  if (spec.version !== undefined && existsSync(hostFile(spec))) {
    return
  }
  const { programFolder } = spec.paths
  const [source, made] = [`${hostFile(spec)}.cs`, `${hostFile(spec)}.new`]
  writeFileSync(source, hostSource(spec))
  // Compile in the program folder: other programs of this user could change files in the user's temporary folder.
  const temporary = { TEMP: programFolder, TMP: programFolder }
  await runWith(temporary, compiler(), '/nologo', '/reference:System.ServiceProcess.dll', `/out:${made}`, source)
  renameSync(made, hostFile(spec))
  rmSync(source)
}

const isStopped = async (spec: ServiceSpec) =>
  !(await trySc('query', serviceName(spec))) || /STOPPED/.test(await sc('query', serviceName(spec)))

async function stopService(spec: ServiceSpec) {
  await trySc('stop', serviceName(spec))
  // The host's file stays locked until the service has stopped.
  for (let tries = 0; tries < 50 && !(await isStopped(spec)); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/**
 * Registers the service with this version's host. The only place that names the version, since the service control
 * manager replaces the command line atomically.
 */
async function registerService(spec: ServiceSpec) {
  const definition = ['binPath=', `"${hostFile(spec)}"`, 'start=', 'auto']
  const isThere = await trySc('query', serviceName(spec))
  await sc(isThere ? 'config' : 'create', serviceName(spec), ...definition)
  await sc('failure', serviceName(spec), 'reset=', '60', 'actions=', 'restart/5000')
}

/** Writes the command file at a path that updates do not change. */
function writeCommandFile({ version, paths: { programFolder } }: ServiceSpec) {
  if (version !== undefined) {
    const at = (name: string) => `"%~dp0${relative(programFolder, join(version, name))}"`
    writeFileAtomically(join(programFolder, commandFile), `@${at('node.exe')} ${at('main.js')} %*\r\n`)
  }
}

export const windowsService: ServiceManager = {
  describe: (spec) => `Windows service ${serviceName(spec)}`,
  isAvailable: async () => true,
  isInstalled: (spec) => trySc('query', serviceName(spec)),
  async startedVersion(spec) {
    const key = `HKLM\\SYSTEM\\CurrentControlSet\\Services\\${serviceName(spec)}`
    const answer = await runOrExplain(system32('reg.exe'), 'query', key, '/v', 'ImagePath').catch(() => '')
    const [, host] = /ImagePath\s+REG_\w+\s+"?([^"\r\n]+)/.exec(answer) ?? []
    return host === undefined ? undefined : dirname(host)
  },
  privateFolder: ({ programFolder }) => programFolder,
  async install(spec) {
    const { programFolder } = spec.paths
    if (spec.version === undefined) {
      await stopService(spec)
    }
    await compileHost(spec)
    await runOrExplain(system32('icacls.exe'), programFolder, '/grant', `${everyUser}:(OI)(CI)RX`, '/t', '/q')
    await registerService(spec)
    writeCommandFile(spec)
    await stopService(spec)
    await sc('start', serviceName(spec))
    await listUnderApps(spec)
    await registerEventSource()
    await writeEvent(
      events.installed,
      `Version ${agentVersion} of the Farhand agent was installed in ${programFolder} as the service "${serviceName(spec)}".`,
    )
  },
  stop: async (spec) => {
    await trySc('stop', serviceName(spec))
  },
  async uninstall(spec) {
    await stopService(spec)
    await trySc('delete', serviceName(spec))
    rmSync(hostFile(spec), { force: true })
    await removeFromApps(spec)
    await writeEvent(events.uninstalled, `The Farhand agent with the service "${serviceName(spec)}" was uninstalled.`)
  },
}
