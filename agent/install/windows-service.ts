import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path/win32'
import { environment } from '../config.ts'
import { makePrivateFolder } from '../folders.ts'
import { quoteArgument } from '../platform/win32/command-line.ts'
import { runOrExplain, runWith, tryRun, type ServiceManager, type ServiceSpec } from './service.ts'

/** Everybody who is signed in: the process of a desktop runs as the person there, who has to read the program. */
const everyUser = '*S-1-5-32-545'

const serviceName = ({ instanceId }: ServiceSpec) => `Farhand.Agent${instanceId ? ` (${instanceId})` : ''}`

const sc = (...args: string[]) => runOrExplain(join(environment.windows, 'System32', 'sc.exe'), ...args)
const trySc = (...args: string[]) => tryRun(join(environment.windows, 'System32', 'sc.exe'), ...args)

/** Every Windows that we support has this compiler; it comes with the system's .NET Framework. */
const compiler = () => {
  const inFramework = (name: string) => join(environment.windows, 'Microsoft.NET', name, 'v4.0.30319', 'csc.exe')
  return existsSync(inFramework('Framework64')) ? inFramework('Framework64') : inFramework('Framework')
}

const csharpString = (text: string) => `@"${text.replaceAll('"', '""')}"`

/**
 * The service control manager only talks to programs that answer it, which Node does not. This host does: it starts
 * the agent, starts it again after five seconds when it ends, and ends it with the service.
 */
export function hostSource(spec: ServiceSpec): string {
  const [program, ...args] = spec.run
  return `using System.Diagnostics;
using System.ServiceProcess;
using System.Threading;

class Host : ServiceBase {
  readonly ManualResetEvent stopping = new ManualResetEvent(false);
  Thread keeper;

  protected override void OnStart(string[] args) {
    keeper = new Thread(Keep);
    keeper.Start();
  }

  protected override void OnStop() {
    stopping.Set();
    keeper.Join(10000);
  }

  void Keep() {
    do {
      var start = new ProcessStartInfo(${csharpString(program)}, ${csharpString(args.map(quoteArgument).join(' '))});
      start.UseShellExecute = false;
      start.CreateNoWindow = true;
      using (var agent = Process.Start(start)) {
        while (!agent.WaitForExit(200)) {
          if (stopping.WaitOne(0)) {
            agent.Kill();
          }
        }
      }
    } while (!stopping.WaitOne(5000));
  }

  static void Main() {
    ServiceBase.Run(new Host());
  }
}
`
}

const hostFile = ({ paths }: ServiceSpec) => join(paths.programFolder, 'Farhand.Agent.Service.exe')

async function removeService(spec: ServiceSpec) {
  await trySc('stop', serviceName(spec))
  // Stopping takes a moment, and the host's file stays locked until then.
  for (let tries = 0; tries < 50 && !(await isStopped(spec)); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await trySc('delete', serviceName(spec))
}

const isStopped = async (spec: ServiceSpec) =>
  !(await trySc('query', serviceName(spec))) || /STOPPED/.test(await sc('query', serviceName(spec)))

export const windowsService: ServiceManager = {
  describe: (spec) => `Windows service ${serviceName(spec)}`,
  isAvailable: async () => process.platform === 'win32',
  isInstalled: (spec) => trySc('query', serviceName(spec)),
  async install(spec) {
    await removeService(spec)
    const { programFolder } = spec.paths
    makePrivateFolder(programFolder)
    const source = `${hostFile(spec)}.cs`
    writeFileSync(source, hostSource(spec))
    // The compiler keeps its own files in the folder for temporary ones, where other programs of this user could change them.
    const temporary = { TEMP: programFolder, TMP: programFolder }
    const args = ['/nologo', '/reference:System.ServiceProcess.dll', `/out:${hostFile(spec)}`, source]
    await runWith(temporary, compiler(), ...args)
    rmSync(source)
    const icacls = join(environment.windows, 'System32', 'icacls.exe')
    await runOrExplain(icacls, programFolder, '/grant', `${everyUser}:(OI)(CI)RX`, '/t', '/q')
    await sc('create', serviceName(spec), 'binPath=', `"${hostFile(spec)}"`, 'start=', 'auto')
    await sc('failure', serviceName(spec), 'reset=', '60', 'actions=', 'restart/5000')
    await sc('start', serviceName(spec))
  },
  stop: async (spec) => {
    await trySc('stop', serviceName(spec))
  },
  async uninstall(spec) {
    await removeService(spec)
    rmSync(hostFile(spec), { force: true })
  },
}
