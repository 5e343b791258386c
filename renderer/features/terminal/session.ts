import { onTerminalOutput } from '../../api/hubs.ts'
import { followReachability } from '../viewer-kit/reachability.ts'
import { Store } from '../viewer-kit/store.ts'
import { Attachment } from './attachment.ts'
import type { CompletionMatch } from './completer.ts'
import type { TerminalSize } from './input-queue.ts'
import type { SessionOptions, TerminalState } from './session-types.ts'
import { SharedSize } from './shared-size.ts'
import { ShellOutput } from './shell-output.ts'
import { terminalCalls } from './terminal-calls.ts'
import { TypedInput } from './typed-input.ts'

/** Interval of keep-alives. The agent ends a shell after 10 minutes without use; a shell on screen counts as used. */
const keepAliveMs = 4 * 60_000

/** Connects input, output, size and attachment of one terminal. */
function connectParts({ deviceId, place, shell, screen }: SessionOptions, store: Store<TerminalState>) {
  const calls = terminalCalls(deviceId)
  const input: TypedInput = new TypedInput({
    write: screen.write,
    send: (message) => attachment.send(message),
    onUnsent: (error) => attachment.takeFailure(error),
    onHeld: (held) => store.update({ held }),
    onKeys: () => size.fit(),
    complete: (request) => calls.complete(attachment.terminalId, request),
    onCompletions: (completions) => store.update({ completions }),
  })
  const size = new SharedSize({
    screen,
    send: (next) => input.resize(next),
    onFollow: (isFollowing) => store.update({ isFollowing }),
  })
  const output = new ShellOutput({
    screen,
    print: (text) => input.print(text),
    onSize: (next) => size.follow(next),
    onExit() {
      input.end()
      attachment.end()
    },
  })
  const attachment: Attachment = new Attachment({
    place,
    shell,
    calls,
    size,
    onState: (session) => store.update({ session }),
    onOpening() {
      input.expect()
      output.expect()
    },
    onOpen({ shell: running, shells }, kind, isAnother) {
      screen.setKind(kind)
      store.update({ facts: { kind, shell: running, shells: shells ?? [] } })
      if (isAnother) {
        output.nameAnother()
      }
      input.begin(kind)
      if (kind === 'pty') {
        size.send()
      }
      output.begin(kind)
      // Early output may contain the exit of the shell.
      if (attachment.phase === 'open') {
        input.release()
      }
    },
    onLost: () => input.lose(),
    onBack: () => input.release(),
  })
  return { input, output, size, attachment }
}

/** Session of one terminal. Reattaches after a lost connection until `stop`. */
export function createTerminalSession(options: SessionOptions) {
  const store = new Store<TerminalState>({
    session: { phase: 'idle' },
    facts: undefined,
    title: '',
    hasSelection: false,
    held: '',
    completions: undefined,
    isFollowing: false,
  })
  const { input, output, size, attachment } = connectParts(options, store)
  const reachability = followReachability((isReachable) => attachment.setReachable(isReachable))

  function openAfresh() {
    input.clear()
    options.screen.reset()
    attachment.openAfresh()
  }

  const keepAlive = setInterval(() => {
    if (attachment.phase === 'open' && attachment.kind === 'pty') {
      size.send()
    }
  }, keepAliveMs)
  const stopOutput = onTerminalOutput((next) => {
    if (next.terminalId === attachment.terminalId && attachment.phase !== 'ended') {
      output.receive(next)
    }
  })

  return {
    store,
    /** Handles keystrokes and terminal reports. */
    type(data: string) {
      if (attachment.phase !== 'ended') {
        input.type(data, attachment.phase === 'open')
      } else if (data === '\r') {
        openAfresh()
      }
    },
    resize(next: TerminalSize) {
      if (attachment.kind === 'pty' && !size.isFollowing) {
        input.resize(next)
      }
    },
    /** Sets the terminal to the size of this page instead of another viewer's. */
    fit: () => size.fit(),
    /** Inserts a completion into the line. */
    pick: (match: CompletionMatch) => input.pick(match),
    forgetCompletions: () => input.forgetCompletions(),
    setDeviceOnline: reachability.setDeviceOnline,
    retry: openAfresh,
    /** Sends held input, if a shell can receive it. */
    sendHeld() {
      if (attachment.phase === 'open') {
        input.sendHeld()
      }
    },
    dropHeld: () => input.dropHeld(),
    /** Ends the running shell. */
    close: () => attachment.close(),
    /** Detaches from the terminal. The shell keeps running for a while, so that the page can reattach. */
    stop() {
      attachment.detach()
      reachability.stop()
      clearInterval(keepAlive)
      stopOutput()
    },
  }
}
