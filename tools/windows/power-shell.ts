/** PowerShell and .NET for Windows from NuGet, in the place of Windows PowerShell. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { cacheFolder } from './debian-13.ts'

/** Named after the versions in the project, so that others are fetched anew. */
const packages = path.join(cacheFolder, 'power-shell-7.6.9-10.0.12')

/** Fetches PowerShell if it is missing. Returns a sentence if it cannot be had. */
export function ensurePowerShell(): string | undefined {
  if (existsSync(packages)) {
    return undefined
  }
  console.log(`Fetching PowerShell and .NET for Windows from NuGet into ${packages}`)
  const [work, project] = [`${packages}.new`, `${packages}.project`]
  mkdirSync(project, { recursive: true })
  try {
    cpSync(path.join(import.meta.dirname, 'power-shell.csproj'), path.join(project, 'power-shell.csproj'))
    const { status, stdout } = spawnSync('dotnet', ['restore', project, '--packages', work], {
      encoding: 'utf8',
      env: { ...process.env, DOTNET_CLI_TELEMETRY_OPTOUT: '1', DOTNET_NOLOGO: '1' },
    })
    if (status !== 0) {
      const reason = /error .*/.exec(stdout ?? '')?.[0] ?? 'there is no .NET SDK (dotnet) on this machine'
      return `PowerShell for Windows cannot be fetched from NuGet: ${reason}`
    }
    renameSync(work, packages)
    return undefined
  } finally {
    rmSync(project, { recursive: true })
  }
}

function contentOf(name: string) {
  const folder = path.join(packages, name.toLowerCase())
  const [version = ''] = readdirSync(folder)
  return { version, content: path.join(folder, version) }
}

/** Copies PowerShell and .NET to where Windows has its own. */
export function placePowerShell(drive: string): void {
  const at = (...names: string[]) => path.join(drive, ...names)
  const place = (from: string, to: string) => cpSync(from, to, { recursive: true })
  for (const name of ['Microsoft.NETCore.App', 'Microsoft.WindowsDesktop.App']) {
    const { version, content } = contentOf(`${name}.Runtime.win-x64`)
    const parts = path.join(content, 'runtimes', 'win-x64')
    const target = at('Program Files', 'dotnet', 'shared', name, version)
    place(path.join(parts, 'lib', 'net10.0'), target)
    place(path.join(parts, 'native'), target)
    const host = path.join(target, 'hostfxr.dll')
    if (existsSync(host)) {
      place(host, at('Program Files', 'dotnet', 'host', 'fxr', version, 'hostfxr.dll'))
    }
  }
  const shell = at('windows', 'system32', 'WindowsPowerShell', 'v1.0')
  rmSync(shell, { recursive: true, force: true })
  place(path.join(contentOf('PowerShell').content, 'tools', 'net10.0', 'any', 'win'), shell)
  place(path.join(shell, 'pwsh.exe'), path.join(shell, 'powershell.exe'))
  // PowerShell would take modules in this folder for those of Windows PowerShell, which it does not load by itself.
  mkdirSync(at('Program Files', 'PowerShell'))
  renameSync(path.join(shell, 'Modules'), at('Program Files', 'PowerShell', 'Modules'))
}
