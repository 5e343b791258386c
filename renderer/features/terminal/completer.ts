import type {
  PwshCompletionsRequestDto,
  PwshCompletionsResponseDto,
  PwshCompletionsResult,
} from '../../../shared/dtos/pwsh-completions.ts'
import * as t from '../../texts.ts'
import type { EditedLine } from './line-editor.ts'

export type CompletionMatch = PwshCompletionsResponseDto['completionMatches'][number]

/** Completions of a line, or the reason why there are none. */
export type Completions = { matches: readonly CompletionMatch[]; total: number } | { problem: string }

export type CompletionRequest = Pick<PwshCompletionsRequestDto, 'lastCompletionInput' | 'lastCursorIndex' | 'forward'>

interface CompleterOptions {
  line: { get(): EditedLine; set(line: EditedLine): void }
  ask: (request: CompletionRequest) => Promise<PwshCompletionsResult>
  show: (completions: Completions | undefined) => void
}

/** Removes control characters: the text becomes part of a line that is sent to the shell. */
const asTyped = (text: string) => text.replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, '')

/** Completes a line with PowerShell on the device: Tab steps through the matches, Ctrl+Space lists them. */
export function createCompleter({ line, ask, show }: CompleterOptions) {
  /** Version of the line and question; answers to an older one are dropped. */
  let version = 0
  /** Line at the start of stepping, and the line it produced. */
  let stepping: { from: EditedLine; shown: string } | undefined
  /** Part of the line that the list would replace. */
  let listed: { from: EditedLine; index: number; length: number } | undefined

  function put(from: EditedLine, index: number, length: number, { completionText }: CompletionMatch) {
    const text = asTyped(completionText)
    const whole = from.text.slice(0, index) + text + from.text.slice(index + length)
    line.set({ text: whole, cursor: index + text.length })
    return whole
  }

  function forget() {
    version++
    stepping = undefined
    listed = undefined
    show(undefined)
  }

  return {
    forget,
    /** Requests the next match (true), the previous one (false), or the list (null). */
    async complete(forward: boolean | null) {
      const now = line.get()
      const from = forward !== null && stepping?.shown === now.text ? stepping.from : now
      forget()
      const asked = version
      const request = { lastCompletionInput: from.text, lastCursorIndex: from.cursor, forward }
      const answer = await ask(request).catch(() => undefined)
      if (asked !== version) {
        return
      }
      if (!answer?.isSuccess || !answer.value) {
        show({ problem: answer?.reason ?? t.terminal.completionFailed })
        return
      }
      const { completionMatches: matches, totalCount } = answer.value
      const index = Math.max(0, answer.value.replacementIndex)
      const length = Math.max(0, answer.value.replacementLength)
      const [first] = matches
      if (!first) {
        show({ problem: totalCount > 0 ? t.terminal.completionsTooMany(totalCount) : t.terminal.completionsNone })
      } else if (forward === null && matches.length > 1) {
        listed = { from, index, length }
        show({ matches, total: Math.max(totalCount, matches.length) })
      } else {
        stepping = { from, shown: put(from, index, length, first) }
      }
    },
    /** Inserts a match of the list. */
    pick(match: CompletionMatch) {
      if (listed) {
        put(listed.from, listed.index, listed.length, match)
      }
      forget()
    },
  }
}
