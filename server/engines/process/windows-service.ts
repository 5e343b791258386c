import { createHash } from 'node:crypto'
import { win32 } from 'node:path'
import { findFolderProblem, quoteForPowerShell } from '../../../shared/power-shell.ts'
import type { ServiceManager, ServiceSpec, Step } from './os-service.ts'

const name = 'Farhand'
/** Virtual account of the service: no password, no rights but those given to it. */
const account = `NT SERVICE\\${name}`

/** Security identifier of a service's virtual account, which Windows derives from the name. */
export function serviceSid(service: string): string {
  const hash = createHash('sha1').update(Buffer.from(service.toUpperCase(), 'utf16le')).digest()
  return ['S-1-5-80', ...[0, 4, 8, 12, 16].map((at) => hash.readUInt32LE(at))].join('-')
}

/**
 * PowerShell script that fails if somebody else made a folder or an entry in it, or may write there: owners and explicit
 * entries of a folder stay when its permissions are set (T36).
 */
const preparedScript = (folder: string) => `$ErrorActionPreference = 'Stop'
${findFolderProblem}
$folder = ${quoteForPowerShell(folder)}
$also = @('${serviceSid(name)}')
$problem = Find-FolderProblem $folder $also
if (-not $problem -and (Test-Path -LiteralPath $folder)) {
  foreach ($entry in Get-ChildItem -LiteralPath $folder -Force) {
    $owner = (Get-Acl -LiteralPath $entry.FullName).GetOwner([Security.Principal.SecurityIdentifier]).Value
    if (@('S-1-5-18', 'S-1-5-32-544') + $also -notcontains $owner) { $problem = $entry.FullName + ' belongs to the user ' + $owner; break }
  }
}
if ($problem) { [Console]::Error.WriteLine($problem + '. Check what is in it, move it away, and install the service again.'); exit 1 }`

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
  // Below Program Files, where only administrators can create folders and everybody else can read.
  const programFolder = win32.join(folders.programFiles, 'Farhand Service')
  const host = win32.join(programFolder, 'Farhand.Service.exe')
  const windowFolder = win32.join(programFolder, 'Window')
  /** Program of earlier versions, in a folder that other users could make first. */
  const formerHost = win32.join(folders.programData, 'Farhand Service', 'Farhand.Service.exe')
  const sc = (...args: string[]): readonly [string, ...string[]] => [system32('sc.exe'), ...args]
  const icacls = (...args: string[]): readonly [string, ...string[]] => [system32('icacls.exe'), ...args]
  const refusePrepared = (folder: string): Step => ({
    run: [
      system32(String.raw`WindowsPowerShell\v1.0\powershell.exe`),
      '-NoProfile',
      '-NonInteractive',
      '-Command',
      preparedScript(folder),
    ],
    purpose: `check that nobody else prepared ${folder}`,
  })
  const program = ['binPath=', `"${host}"`, 'obj=', account, 'start=', 'delayed-auto', 'DisplayName=', 'Farhand server']
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
      refusePrepared(programFolder),
      refusePrepared(spec.dataDirectory),
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
      { run: sc('create', name, ...program), mayFail: true },
      // A service that exists keeps its program otherwise.
      { run: sc('config', name, ...program) },
      { remove: formerHost },
      { run: sc('failure', name, 'reset=', '600', 'actions=', 'restart/60000') },
      { run: sc('description', name, 'Remote device management server of Farhand.') },
      { folder: spec.dataDirectory, mode: 0o700 },
      { run: icacls(spec.dataDirectory, '/setowner', '*S-1-5-32-544', '/q') },
      { run: icacls(spec.dataDirectory, '/reset', '/q') },
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
      // Again: somebody could have written there before the permissions were set.
      refusePrepared(spec.dataDirectory),
      { folder: windowFolder, mode: 0o755 },
      { run: icacls(windowFolder, '/grant', `${account}:(OI)(CI)M`, '/q') },
      { run: sc('start', name) },
    ],
    uninstall: () => [
      { run: sc('stop', name), mayFail: true },
      { run: sc('delete', name), mayFail: true },
      { remove: host },
      { remove: formerHost },
    ],
    status: sc('query', name),
  }
}
