import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { environment } from '../../base/config.ts'

const system = `${environment.windows}\\System32`

/** The programs that a terminal on Windows may run, as far as they are there, PowerShell first. */
const programs = [
  `${system}\\WindowsPowerShell\\v1.0\\powershell.exe`,
  `${environment.programFiles}\\PowerShell\\7\\pwsh.exe`,
  `${system}\\cmd.exe`,
]
const wsl = `${system}\\wsl.exe`

/** Whether `reg query` of the key below which WSL keeps its distributions has named the usual one. */
export const hasDistribution = (output: string): boolean =>
  /^\s+DefaultDistribution\s+REG_SZ\s+\{[0-9a-f-]{36}\}\s*$/im.test(output)

/** Distributions are installed for one person each; that of the account of services cannot run them. */
function ownsDistribution(): boolean {
  const isService = environment.home.toLowerCase().startsWith(`${environment.windows.toLowerCase()}\\`)
  const key = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Lxss'
  try {
    return (
      !isService &&
      hasDistribution(
        execFileSync(`${system}\\reg.exe`, ['query', key, '/v', 'DefaultDistribution'], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
          windowsHide: true,
        }),
      )
    )
  } catch {
    // There is no such key: nothing is installed.
    return false
  }
}

/** Programs that are there; `wsl.exe` comes with every Windows, so it counts only where it has something to run. */
export const windowsShells = (isThere: (file: string) => boolean = existsSync, hasWsl = ownsDistribution): string[] => [
  ...programs.filter((file) => isThere(file)),
  ...(isThere(wsl) && hasWsl() ? [wsl] : []),
]
