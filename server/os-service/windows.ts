import { win32 } from 'node:path'
import type { ServiceManager, ServiceSpec } from './service.ts'

const name = 'Farhand'
/** Virtual account of the service: no password, no rights but those given to it. */
const account = `NT SERVICE\\${name}`

const literal = (text: string) => `@"${text.replaceAll('"', '""')}"`

/** Quotes an argument of a command line as C programs parse it. */
export const quoteArgument = (text: string) =>
  `"${text.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')}"`

/**
 * C# source of the service host: the service control manager needs a program that answers it, which Node does not. The
 * host sets the environment, starts the server, and starts it again after a crash, at most five times in ten minutes.
 * The host shuts the server down by closing a pipe that the server watches.
 */
export function hostSource({ command: [program, ...args], environment }: ServiceSpec): string {
  const variables = Object.entries(environment)
    .map(([key, value]) => `    start.EnvironmentVariables[${literal(key)}] = ${literal(value)};`)
    .join('\n')
  return `using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO.Pipes;
using System.ServiceProcess;
using System.Threading;

class Host : ServiceBase {
  readonly ManualResetEvent stopping = new ManualResetEvent(false);
  readonly Queue<DateTime> crashes = new Queue<DateTime>();
  Thread supervisor;

  Host() {
    ServiceName = ${literal(name)};
    CanShutdown = true;
  }

  protected override void OnStart(string[] args) {
    supervisor = new Thread(Supervise);
    supervisor.Start();
  }

  protected override void OnStop() {
    stopping.Set();
    RequestAdditionalTime(20000);
    supervisor.Join(20000);
  }

  protected override void OnShutdown() {
    OnStop();
  }

  void Supervise() {
    while (RunServer() != 0 && !stopping.WaitOne(5000)) {
      crashes.Enqueue(DateTime.UtcNow);
      while (DateTime.UtcNow - crashes.Peek() > TimeSpan.FromMinutes(10)) {
        crashes.Dequeue();
      }
      if (crashes.Count > 5) {
        break;
      }
    }
    if (!stopping.WaitOne(0)) {
      ExitCode = 1;
      Stop();
    }
  }

  int RunServer() {
    var name = "farhand-" + Guid.NewGuid().ToString("N");
    var pipe = new NamedPipeServerStream(name, PipeDirection.Out, 1, PipeTransmissionMode.Byte, PipeOptions.Asynchronous);
    pipe.BeginWaitForConnection(delegate(IAsyncResult result) {
      try {
        pipe.EndWaitForConnection(result);
      } catch (Exception) {
        // The pipe was closed before the server opened it.
      }
    }, null);
    var arguments = ${literal(args.map(quoteArgument).join(' '))} + @" --stop-with \\\\.\\pipe\\" + name;
    var start = new ProcessStartInfo(${literal(program)}, arguments);
    start.UseShellExecute = false;
    start.CreateNoWindow = true;
${variables}
    using (var server = Process.Start(start)) {
      while (!server.WaitForExit(200)) {
        if (stopping.WaitOne(0)) {
          pipe.Close();
          if (!server.WaitForExit(15000)) {
            server.Kill();
          }
        }
      }
      pipe.Close();
      return server.ExitCode;
    }
  }

  static void Main() {
    ServiceBase.Run(new Host());
  }
}
`
}

/** Windows service under a virtual account. */
export function windowsService(folders: {
  windows: string
  programData: string
  programFiles: string
}): ServiceManager {
  const system32 = (file: string) => win32.join(folders.windows, 'System32', file)
  const compiler = win32.join(folders.windows, 'Microsoft.NET', 'Framework64', 'v4.0.30319', 'csc.exe')
  const programFolder = win32.join(folders.programData, 'Farhand Service')
  const host = win32.join(programFolder, 'Farhand.Service.exe')
  const windowFolder = win32.join(folders.programFiles, 'Farhand Service', 'Window')
  const sc = (...args: string[]): readonly [string, ...string[]] => [system32('sc.exe'), ...args]
  const icacls = (...args: string[]): readonly [string, ...string[]] => [system32('icacls.exe'), ...args]
  return {
    describe: `Windows service ${name}`,
    account,
    windowFolder,
    dataDirectory: win32.join(folders.programData, 'Farhand'),
    definition: host,
    windowOptions: [],
    keepsOutput: false,
    hasUserServices: false,
    install: (spec) => [
      { run: sc('stop', name), mayFail: true },
      { folder: programFolder, mode: 0o755 },
      // Administrators write, everybody else reads: whoever writes here runs code as the service.
      {
        run: icacls(
          programFolder,
          '/inheritance:r',
          '/grant',
          '*S-1-5-32-544:(OI)(CI)F',
          '*S-1-5-18:(OI)(CI)F',
          '*S-1-5-32-545:(OI)(CI)RX',
          '/q',
        ),
      },
      { file: `${host}.cs`, content: hostSource(spec), mode: 0o644 },
      { run: [compiler, '/nologo', '/reference:System.ServiceProcess.dll', `/out:${host}`, `${host}.cs`] },
      { remove: `${host}.cs` },
      {
        run: sc(
          'create',
          name,
          'binPath=',
          `"${host}"`,
          'obj=',
          account,
          'start=',
          'delayed-auto',
          'DisplayName=',
          'Farhand server',
        ),
        mayFail: true,
      },
      { run: sc('failure', name, 'reset=', '600', 'actions=', 'restart/60000') },
      { run: sc('description', name, 'Remote device management server of Farhand.') },
      { folder: spec.dataDirectory, mode: 0o700 },
      {
        run: icacls(
          spec.dataDirectory,
          '/inheritance:r',
          '/grant',
          '*S-1-5-32-544:(OI)(CI)F',
          '*S-1-5-18:(OI)(CI)F',
          `${account}:(OI)(CI)F`,
          '/q',
        ),
      },
      // Below Program Files, where only administrators can create folders and everybody else can read.
      { folder: windowFolder, mode: 0o755 },
      { run: icacls(windowFolder, '/grant', `${account}:(OI)(CI)M`, '/q') },
      { run: sc('start', name) },
    ],
    uninstall: () => [
      { run: sc('stop', name), mayFail: true },
      { run: sc('delete', name), mayFail: true },
      { remove: host },
    ],
    status: sc('query', name),
  }
}
