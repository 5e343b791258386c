import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../../shared/contract/client.ts'
import { fileQueries, type FilePlace } from '../../../api/files.ts'
import { api } from '../../../api/http.ts'
import { transfers } from '../../../api/transfers/transfers.ts'
import { arrived, uploadPart } from '../../../api/transfers/upload.ts'
import { problemText } from '../../../components/problem-alert.tsx'
import { childOf } from '../../../device-path.ts'
import { files as t } from '../../../strings/en-files.ts'
import type { Question } from './conflict-dialog.tsx'
import { nameProblem, planUpload, type LocalFile, type PlannedFile } from './upload-plan.ts'

/** More single files than these are one line of the transfers. */
const mostLines = 10

/** Makes folders below a target, each once; one that is there already is as good. */
function folderMaker({ deviceId, tenantId }: FilePlace, target: string) {
  const made = new Map<string, Promise<void>>()
  const make = async (names: readonly string[]) => {
    const above = names.slice(0, -1)
    const directoryName = names.at(-1) ?? ''
    await ensure(above)
    const parentPath = above.reduce(childOf, target)
    const problem = nameProblem(directoryName)
    if (problem !== undefined) {
      throw new ApiError(409, undefined, problem)
    }
    try {
      await api.files.createDirectory({ params: { deviceId }, body: { parentPath, directoryName }, tenantId })
      arrived({ deviceId, folder: parentPath })
    } catch (error) {
      const targetPath = childOf(parentPath, directoryName)
      const { pathExists } = await api.files.pathSegments({ body: { deviceId, targetPath }, tenantId })
      if (!pathExists) {
        throw error
      }
    }
  }
  const ensure = (names: readonly string[]): Promise<void> => {
    if (names.length === 0) {
      return Promise.resolve()
    }
    const key = names.join('\0')
    const known = made.get(key) ?? make(names)
    made.set(key, known)
    known.catch(() => made.delete(key))
    return known
  }
  return ensure
}

/** What is one line of the transfers: a folder, a file, or very many files. */
function groupsOf(plan: readonly PlannedFile[]): Map<string, PlannedFile[]> {
  const loose = plan.filter(({ folders }) => folders.length === 0).length
  return Map.groupBy(plan, ({ folders, name }) => folders[0] ?? (loose > mostLines ? t.items(loose) : name))
}

interface UploadOptions {
  place: FilePlace
  deviceName: string
  ignoresCase: boolean
  mayMakeFolders: boolean
}

/** Sends files of this computer to folders of the device, after asking about those that are there already. */
export function useUpload({ place, deviceName, ignoresCase, mayMakeFolders }: UploadOptions) {
  const client = useQueryClient()
  const [question, setQuestion] = useState<Question>()
  const [problem, setProblem] = useState<string>()
  const [isReading, setIsReading] = useState(false)

  const begin = (target: string, plan: readonly PlannedFile[]) => {
    const ensure = folderMaker(place, target)
    for (const [name, group] of groupsOf(plan)) {
      const made = group.map(({ file, folders, folder, name: fileName, overwrite }) =>
        file
          ? uploadPart(file, { ...place, folder, name: fileName, overwrite }, () => ensure(folders))
          : { part: { name: folders.at(-1) ?? '', size: 0, run: () => ensure(folders) }, discard: () => {} },
      )
      transfers.add({
        kind: 'upload',
        deviceId: place.deviceId,
        deviceName,
        name,
        folder: target,
        parts: made.map(({ part }) => part),
        onCanceled: () => made.forEach(({ discard }) => discard()),
      })
    }
  }

  const upload = async (target: string, reading: Promise<LocalFile[]>) => {
    setProblem(undefined)
    setIsReading(true)
    try {
      const locals = await reading
      if (locals.length === 0) {
        setProblem(t.nothingDropped)
      } else if (!mayMakeFolders && locals.some(({ folders }) => folders.length > 0)) {
        setProblem(t.foldersRefused)
      } else {
        const plan = await planUpload(target, locals, {
          ignoresCase,
          list: async (folder) =>
            (await client.fetchQuery({ ...fileQueries.folder(place, folder, client), staleTime: 0 })).entries,
          ask: (conflict, others) =>
            new Promise((resolve) =>
              setQuestion({
                conflict,
                others,
                answer: (said) => {
                  setQuestion(undefined)
                  resolve(said)
                },
              }),
            ),
        })
        begin(target, plan ?? [])
      }
    } catch (error) {
      setProblem(problemText(error))
    } finally {
      setIsReading(false)
    }
  }
  return {
    upload: (target: string, reading: Promise<LocalFile[]>) => void upload(target, reading),
    question,
    problem,
    isReading,
    forgetProblem: () => setProblem(undefined),
  }
}
