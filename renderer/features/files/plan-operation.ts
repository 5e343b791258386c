import { chunksOf } from '../../../shared/chunks.ts'
import type { FileOperationDto } from '../../../shared/dtos/file-messages.ts'
import { parentOf } from '../../api/device-path.ts'
import { runFileOperation } from '../../api/file-operations.ts'
import type { Entry, FilePlace } from '../../api/files.ts'
import { problemText } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import { ApiError } from '../../../shared/contract/client.ts'
import { FinalFailure } from '../transfers/transfer.ts'
import { transfers } from '../transfers/transfers.ts'
import { arrived } from '../transfers/upload.ts'
import { freeName, type Answer, type PlanDependencies } from '../transfers/upload-plan.ts'

/** Maximum number of entries in one request; the server's limit. */
const mostAtOnce = 1_000

type Items = FileOperationDto['items']

/**
 * Determines the name of each entry in the target folder, and asks about taken names. A copy into its own folder gets a
 * free name; a move there is left out. Undefined if the user cancels.
 */
export async function planOperation(
  { kind, entries, target }: { kind: 'copy' | 'move'; entries: readonly Entry[]; target: string },
  { list, ask, ignoresCase }: PlanDependencies,
): Promise<Items | undefined> {
  const key = (name: string) => (ignoresCase ? name.toLowerCase() : name)
  const existing = new Map((await list(target)).map((entry) => [key(entry.name), entry]))
  const taken = new Set(existing.keys())
  const isHere = ({ fullPath }: Entry) => parentOf(fullPath) === target
  const free = (name: string) => freeName(name, (wanted) => taken.has(key(wanted)))
  const left = entries.filter((entry) => kind === 'copy' || !isHere(entry))
  const conflicts = left.filter((entry) => !isHere(entry) && existing.has(key(entry.name)))
  const items: Items = []
  let forAll: Answer | undefined
  for (const entry of left) {
    const { name, fullPath: path, isDirectory, size, lastModified } = entry
    const old = existing.get(key(name))
    const at = conflicts.indexOf(entry)
    let answer: Answer | undefined = isHere(entry) ? 'keepBoth' : undefined
    if (old && at >= 0) {
      const cannotReplace = old.isDirectory || isDirectory
      answer = forAll === 'replace' && cannotReplace ? undefined : forAll
      if (!answer) {
        const source = { name, size, lastModified: Date.parse(lastModified) }
        const conflict = { source, kind: isDirectory ? 'folder' : 'file', folder: target, existing: old } as const
        const choice = await ask(conflict, conflicts.length - at - 1)
        if (!choice) {
          return undefined
        }
        answer = choice.answer
        forAll ??= choice.isForAll ? answer : undefined
      }
    }
    if (answer !== 'skip') {
      const wanted = answer === 'keepBoth' ? free(name) : name
      taken.add(key(wanted))
      items.push({ path, name: wanted, overwrite: answer === 'replace' })
    }
  }
  return items
}

function failureOf(error: unknown): Error {
  if (error instanceof ApiError) {
    return new FinalFailure(problemText(error))
  }
  // The device may have done a part, so that a repetition would meet its own results.
  return new FinalFailure(t.files.connectionLost)
}

/** Starts to copy or move, as a transfer with progress that can be canceled. */
export function beginOperation(
  place: FilePlace,
  { kind, items, target, deviceName }: { kind: 'copy' | 'move'; items: Items; target: string; deviceName: string },
): void {
  const [first] = items
  if (!first) {
    return
  }
  const changed = new Set([target, ...items.map(({ path }) => parentOf(path) ?? '')])
  const run = async (signal: AbortSignal, report: (done: number, total?: number) => void) => {
    const failed: string[] = []
    try {
      for (const some of chunksOf(items, mostAtOnce)) {
        const problems = await runFileOperation(
          place,
          { kind, targetDirectory: target, items: some },
          { signal, onState: ({ bytes, totalBytes }) => report(bytes, totalBytes) },
        )
        failed.push(...problems.filter((problem) => problem !== null))
      }
    } catch (error) {
      throw signal.aborted ? error : failureOf(error)
    } finally {
      changed.forEach((folder) => arrived({ deviceId: place.deviceId, folder }))
    }
    if (failed[0] !== undefined) {
      throw new FinalFailure(t.files.partlyArranged(failed.length, failed[0]))
    }
  }
  const name = items.length === 1 ? first.name : t.files.items(items.length)
  transfers.add({
    kind,
    deviceId: place.deviceId,
    deviceName,
    name,
    folder: target,
    parts: [{ name, size: undefined, run: ({ signal, report }) => run(signal, report) }],
  })
}
