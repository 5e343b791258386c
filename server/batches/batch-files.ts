import { randomUUID } from 'node:crypto'
import { hourMs } from '../../shared/durations.ts'
import type { BatchFileDto } from '../../shared/dtos/batch.ts'
import { diskBudget, resizeDiskBudget, type TransferBudget } from '../engines/flow/transfer-budgets.ts'
import type { Cancel, Clock } from '../ground/clock.ts'
import { AppError, limitReached } from '../ground/errors.ts'
import { SpooledFile } from '../files/spooled-file.ts'

/** Time that a file is kept after its upload, and after the last batch that sent it. */
const keptMs = hourMs

/** Maximum number of files of an owner, and of an account, arriving ones included: each is an open file. */
const maxFiles = { owner: 100, account: 200 }

const advice = 'They are removed an hour after their last use.'
const full = {
  principal: `Files that you sent to devices use all the space that the server has for yours. ${advice}`,
  device: `Files that you sent to devices use all the space that the server has for yours. ${advice}`,
  tenant: `Files that your organization sent to devices use all the space that the server has for them. ${advice}`,
  all: `The server has no space for the file. ${advice}`,
}

/** Sender of files. Restricted tokens are owners of their own, and share the space of their account. */
interface FileSender {
  owner: string
  account: string
  tenantId: string | null
}

type Place = Pick<FileSender, 'owner' | 'account'>

interface StoredFile extends BatchFileDto, Place {
  spool: SpooledFile
  /** Number of running batches that send it. */
  users: number
  cancelExpiry: Cancel
}

/** Content of a file for the devices of a batch. */
export interface BatchFile extends BatchFileDto {
  read(): AsyncIterable<Uint8Array>
}

interface Dependencies {
  clock: Clock
  directory: string
  /** Size of the largest file that is transferred; undefined without a limit. */
  largest: () => number | undefined
  tenants: () => number
}

/** Files that batches send. A restart ends batches, so that the files outlive no process. */
export class BatchFiles {
  readonly #deps: Dependencies
  /** Apart from running transfers, which files that are kept for an hour could starve (T44). */
  readonly #budget: TransferBudget
  readonly #files = new Map<string, StoredFile>()
  /** Places of the files that arrive. */
  readonly #arriving = new Set<Place>()

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#budget = diskBudget(undefined, deps.tenants)
  }

  /** Stores a file. Throws 409, 429, 503 and 507 without room for it. */
  async add(
    { owner, account, tenantId }: FileSender,
    name: string,
    bytes: AsyncIterable<Uint8Array>,
    announced?: number,
  ): Promise<BatchFileDto> {
    const { directory, largest } = this.#deps
    const place = { owner, account }
    this.#requirePlace(place)
    this.#arriving.add(place)
    try {
      resizeDiskBudget(this.#budget, largest())
      const held = this.#budget.open({ principal: account, device: account, tenant: tenantId ?? 'server' })
      const spool = await SpooledFile.create(directory, held, full)
      try {
        await spool.fill(bytes, announced)
      } catch (error) {
        await spool.close()
        throw error
      }
      const file = { id: randomUUID(), name, size: spool.size }
      const stored = { ...file, ...place, spool, users: 0, cancelExpiry: () => {} }
      this.#files.set(file.id, stored)
      this.#expireLater(stored)
      return file
    } finally {
      this.#arriving.delete(place)
    }
  }

  /** Keeps files of an owner until `release`. Throws 404 if one is not stored. */
  use(owner: string, ids: readonly string[]): { files: BatchFile[]; release: () => void } {
    const stored = ids.map((id) => this.#files.get(id)).filter((file) => file?.owner === owner) as StoredFile[]
    if (stored.length < ids.length) {
      throw new AppError(404, 'A file is no longer on the server. Choose the files again.')
    }
    stored.forEach((file) => {
      file.users++
      file.cancelExpiry()
    })
    const release = () =>
      stored.forEach((file) => {
        file.users--
        this.#expireLater(file)
      })
    return { files: stored.map(({ id, name, size, spool }) => ({ id, name, size, read: () => spool.read() })), release }
  }

  /** A stored file of an owner, which is kept for another hour. */
  find(owner: string, id: string): BatchFileDto | undefined {
    const file = this.#files.get(id)
    if (file?.owner !== owner) {
      return undefined
    }
    this.#expireLater(file)
    return { id, name: file.name, size: file.size }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#files.values()].map((file) => this.#remove(file)))
  }

  #requirePlace(whose: Place) {
    const countOf = (key: keyof Place) =>
      [...this.#files.values(), ...this.#arriving].filter((place) => place[key] === whose[key]).length
    const full = (['owner', 'account'] as const).find((key) => countOf(key) >= maxFiles[key])
    if (full) {
      throw limitReached(`The server already has ${maxFiles[full]} files of yours for devices. ${advice}`)
    }
  }

  #expireLater(file: StoredFile) {
    file.cancelExpiry()
    // A batch may release its files after `close`, which has removed them.
    if (this.#files.get(file.id) === file) {
      file.cancelExpiry = this.#deps.clock.after(keptMs, () => void (file.users === 0 && this.#remove(file)))
    }
  }

  async #remove(file: StoredFile) {
    file.cancelExpiry()
    this.#files.delete(file.id)
    await file.spool.close()
  }
}
