import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { z } from 'zod'
import { failureOf, successOf, terminalNotOpen } from '../../shared/dtos/hub-result.ts'
import { ConcurrencyLimit } from '../base/concurrency-limit.ts'
import type { Clock } from '../base/clock.ts'
import { platform } from '../platform/index.ts'

export interface CompletionsRequest {
  terminalId: string
  lastCompletionInput: string
  lastCursorIndex: number
  /** true: the next match; false: the previous match; null: all matches. */
  forward: boolean | null
  page: number
  pageSize: number
}

const Completion = z.object({
  replacementIndex: z.number(),
  replacementLength: z.number(),
  matches: z.array(
    z.object({ completionText: z.string(), listItemText: z.string(), matchType: z.number(), toolTip: z.string() }),
  ),
})
type Completion = z.output<typeof Completion>

/** Maximum number of matches returned. */
const mostMatches = 500
const limitMs = 15_000
/** Each process of PowerShell takes about 100 MB. */
const processLimits = {
  running: 4,
  waiting: 20,
  waitMs: limitMs,
  // The process is killed before.
  runMs: 2 * limitMs,
  busy: 'The device is still working on other completions. Try again.',
  late: 'PowerShell did not answer.',
}

/** Reads one JSON line with the text, and prints JSON. The text is never executed as code. */
const script = `
$ErrorActionPreference = 'Stop'
[Console]::InputEncoding = [Console]::OutputEncoding = New-Object Text.UTF8Encoding $false
$given = [Console]::In.ReadToEnd() | ConvertFrom-Json
$found = TabExpansion2 -inputScript $given.text -cursorColumn $given.cursor
$results = @($found.CompletionMatches | ForEach-Object {
  @{ completionText = $_.CompletionText; listItemText = $_.ListItemText; matchType = [int]$_.ResultType; toolTip = $_.ToolTip }
})
@{ replacementIndex = $found.ReplacementIndex; replacementLength = $found.ReplacementLength; matches = $results } |
  ConvertTo-Json -Depth 4 -Compress
`

/** Path of PowerShell, preferring the newer edition; undefined if not installed. */
export const findPowerShell = (): string | undefined =>
  [...platform.terminals.shells(), '/usr/bin/pwsh', '/usr/local/bin/pwsh', '/opt/microsoft/powershell/7/pwsh']
    .filter((file) => /(pwsh|powershell)(\.exe)?$/i.test(file) && existsSync(file))
    .toSorted((a, b) => Number(/powershell\.exe$/i.test(a)) - Number(/powershell\.exe$/i.test(b)))[0]

/** Queries a separate PowerShell process, so that the terminal's shell is not disturbed. */
function complete(powerShell: string, text: string, cursor: number): Promise<Completion> {
  const encoded = Buffer.from(script, 'utf16le').toString('base64')
  const shell = spawn(powerShell, ['-NoProfile', '-NonInteractive', '-EncodedCommand', encoded], {
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: limitMs,
    windowsHide: true,
    env: platform.terminals.inherited(),
  })
  return new Promise((resolve, reject) => {
    let answer = ''
    shell.stdout.setEncoding('utf8').on('data', (part) => (answer += part))
    shell.stdin.on('error', () => {}).end(JSON.stringify({ text, cursor }))
    shell.on('error', reject).on('close', () => {
      try {
        resolve(Completion.parse(JSON.parse(answer)))
      } catch {
        reject(new Error('PowerShell did not answer.'))
      }
    })
  })
}

interface Asked {
  text: string
  cursor: number
  completion: Completion
  /** Index of the last returned match, when stepping. */
  index: number
}

/** PowerShell completions for the open terminals of this device. */
export class PwshCompletions {
  readonly #isOpen: (terminalId: string) => boolean
  readonly #powerShell: string | undefined
  /** Last query per terminal: stepping continues through the matches of the initial text. */
  readonly #asked = new Map<string, Asked>()
  readonly #processes: ConcurrencyLimit

  constructor(isOpen: (terminalId: string) => boolean, clock: Clock, powerShell = findPowerShell()) {
    this.#isOpen = isOpen
    this.#processes = new ConcurrencyLimit({ ...processLimits, clock })
    this.#powerShell = powerShell
  }

  async get(request: CompletionsRequest) {
    const { terminalId, lastCompletionInput: text, lastCursorIndex, forward, page, pageSize } = request
    const powerShell = this.#powerShell
    if (!this.#isOpen(terminalId)) {
      return failureOf(terminalNotOpen)
    }
    if (powerShell === undefined) {
      return failureOf('PowerShell is not installed on this device.')
    }
    const cursor = Math.min(Math.max(lastCursorIndex, 0), text.length)
    try {
      const before = this.#asked.get(terminalId)
      const asked =
        before?.text === text && before.cursor === cursor
          ? before
          : {
              text,
              cursor,
              completion: await this.#processes.run(() => complete(powerShell, text, cursor)),
              index: -1,
            }
      this.#asked.set(terminalId, asked)
      return successOf(forward === null ? pageOf(asked.completion, page, pageSize) : step(asked, forward))
    } catch (error) {
      return failureOf((error as Error).message)
    }
  }

  /** Call when the terminal has ended. */
  forget(terminalId: string): void {
    this.#asked.delete(terminalId)
  }
}

function pageOf({ replacementIndex, replacementLength, matches }: Completion, page: number, pageSize: number) {
  const start = page * pageSize
  const isListed = matches.length <= mostMatches
  return {
    replacementIndex,
    replacementLength,
    completionMatches: isListed ? matches.slice(start, start + pageSize) : [],
    hasMorePages: isListed && start + pageSize < matches.length,
    totalCount: matches.length,
    currentPage: page,
  }
}

function step(asked: Asked, forward: boolean) {
  const { replacementIndex, replacementLength, matches } = asked.completion
  const count = matches.length
  const first = forward ? 0 : count - 1
  asked.index = asked.index < 0 ? first : (asked.index + (forward ? 1 : count - 1)) % Math.max(count, 1)
  return {
    replacementIndex,
    replacementLength,
    completionMatches: matches.slice(asked.index, asked.index + 1),
    hasMorePages: false,
    totalCount: count,
    currentPage: 0,
  }
}
