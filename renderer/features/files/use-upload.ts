import { useState } from 'react'
import { listForUpload, type FilePlace } from '../../api/files.ts'
import { problemText } from '../../components/problem-alert.tsx'
import { beginUploads, listAsFailed } from '../transfers/begin-upload.ts'
import type { LocalFile } from '../transfers/local-files.ts'
import * as t from '../../texts.ts'
import type { Questions } from './use-questions.ts'
import { useTransferLimit } from './use-transfer-limit.ts'
import { planUpload } from '../transfers/upload-plan.ts'

/** Title and text of a rejected transfer. */
export interface TransferProblem {
  title: string
  /** May contain text from the device. */
  text: string
}

interface UploadOptions {
  place: FilePlace
  deviceName: string
  isOnline: boolean
  ignoresCase: boolean
  mayMakeFolders: boolean
  questions: Questions
}

/** Uploads local files to folders of the device, after asking about name conflicts. */
export function useUpload({ place, deviceName, isOnline, ignoresCase, mayMakeFolders, questions }: UploadOptions) {
  const { ask, isLeft } = questions
  const [problem, setProblem] = useState<TransferProblem>()
  const { limit, problemOf } = useTransferLimit()
  const [reading, setReading] = useState(0)

  const upload = async (target: string, chosen: Promise<LocalFile[]>) => {
    setProblem(undefined)
    setReading((count) => count + 1)
    let locals: LocalFile[] = []
    const refuse = (text: string) => {
      if (isLeft.current) {
        const [first, ...others] = locals
        const name = first?.folders[0] ?? first?.file?.name
        listAsFailed(
          { place, deviceName, target, name: others.length === 0 && name ? name : t.files.items(locals.length) },
          text,
        )
      } else {
        setProblem({ title: t.files.uploadRefused, text })
      }
    }
    try {
      locals = await chosen
      if (!isOnline) {
        refuse(t.files.offlineUpload)
      } else if (locals.length === 0) {
        refuse(t.files.nothingDropped)
      } else if (!mayMakeFolders && locals.some(({ folders }) => folders.length > 0)) {
        refuse(t.files.foldersRefused)
      } else {
        // Browsers ask the disk each time that a size is read.
        const sized = locals.map((local) => ({ ...local, size: local.file?.size ?? 0 }))
        const small = sized.filter(({ size }) => size <= limit)
        const text = problemOf(sized.map(({ file, size }) => ({ name: file?.name ?? '', size })))
        if (text !== undefined) {
          setProblem({ title: small.length > 0 ? t.files.uploadPartly : t.files.uploadRefused, text })
        }
        const plan = await planUpload(target, small, {
          ignoresCase,
          list: async (folder) => (await listForUpload(place, folder)).entries,
          ask,
        })
        beginUploads({ place, deviceName, target }, plan ?? [])
      }
    } catch (error) {
      refuse(problemText(error))
    } finally {
      setReading((count) => count - 1)
    }
  }
  return {
    upload: (target: string, chosen: Promise<LocalFile[]>) => void upload(target, chosen),
    problem,
    isReading: reading > 0,
    setProblem,
  }
}
