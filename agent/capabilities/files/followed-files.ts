import type { FollowFile } from '../../../shared/dtos/file-messages.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { AgentHubMethods } from '../../link/connection.ts'
import { followFile } from './follow-file.ts'
import { Refusal } from './reasons.ts'

/** Maximum number of files that are followed at the same time; each is open, and looked at twice a second. */
const mostFollowed = 20

interface Dependencies {
  clock: Clock
  log: Log
  server: () => Pick<AgentHubMethods, 'SendFileContentStream'>
}

/** Files that this agent follows for viewers. */
export class FollowedFiles {
  readonly #deps: Dependencies
  #running = 0

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Begins to send a file and what is appended to it. Throws `Refusal`, or as the file system does. */
  async begin(streamId: string, wanted: Pick<FollowFile, 'path' | 'lines'>): Promise<void> {
    if (this.#running >= mostFollowed) {
      throw new Refusal(`This device already follows ${mostFollowed} files. Try again when one is closed.`)
    }
    this.#running++
    try {
      const { items, close } = await followFile(wanted, this.#deps.clock)
      void this.#send(streamId, items, close)
    } catch (error) {
      this.#running--
      throw error
    }
  }

  async #send(streamId: string, items: AsyncIterable<Uint8Array>, close: () => Promise<void>) {
    try {
      await this.#deps.server().SendFileContentStream(streamId, items)
    } catch (error) {
      // The usual end: the viewer stopped following.
      this.#deps.log.debug({ streamId, error }, 'Following a file has ended')
    } finally {
      this.#running--
      // A file system of a user may reject that; nobody waits for it.
      await close().catch((error: unknown) =>
        this.#deps.log.debug({ streamId, error }, 'A followed file was not closed'),
      )
    }
  }
}
