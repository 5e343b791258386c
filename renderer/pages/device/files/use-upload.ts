import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { fileQueries, type FilePlace } from '../../../api/files.ts'
import { problemText } from '../../../components/problem-alert.tsx'
import { beginUpload, folderMaker } from '../../../components/transfers/begin-upload.ts'
import type { LocalFile } from '../../../components/transfers/local-files.ts'
import { files as t } from '../../../strings/en-files.ts'
import type { Question } from './conflict-dialog.tsx'
import { planUpload, type PlannedFile } from './upload-plan.ts'

/** More single files than these are one line of the transfers. */
const mostLines = 10

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
    for (const [name, files] of groupsOf(plan)) {
      beginUpload({ place, deviceName, target, name, files }, ensure)
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
