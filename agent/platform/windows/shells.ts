import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { environment, inheritedEnvironment } from '../../base/environment.ts'
import type { TerminalRules } from '../platform.ts'

const system = `${environment.windows}\\System32`
export const powershellFile = `${system}\\WindowsPowerShell\\v1.0\\powershell.exe`

/** Shells for terminals on Windows, in order of preference. */
const programs = [powershellFile, `${environment.programFiles}\\PowerShell\\7\\pwsh.exe`, `${system}\\cmd.exe`]
const wsl = `${system}\\wsl.exe`

/** Returns whether `reg query` of WSL's key has printed a default distribution. */
export const hasDistribution = (output: string): boolean =>
  /^\s+DefaultDistribution\s+REG_SZ\s+\{[0-9a-f-]{36}\}\s*$/im.test(output)

/**
 * Returns whether this account has a distribution: distributions are installed per user, and service accounts cannot
 * run them.
 */
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
    // The key is missing: no distribution is installed.
    return false
  }
}

/** Returns the installed shells; `wsl.exe` comes with every Windows, so it counts only with a distribution. */
export const windowsShells = (isThere: (file: string) => boolean = existsSync, hasWsl = ownsDistribution): string[] => [
  ...programs.filter((file) => isThere(file)),
  ...(isThere(wsl) && hasWsl() ? [wsl] : []),
]

const inherited = () => inheritedEnvironment(/(?:)/)

export const windowsTerminals: TerminalRules = {
  shells: windowsShells,
  loginShell: () => powershellFile,
  inherited,
  environment: inherited,
  killSignal: () => undefined,
}
