import { listForUpload, type Entry, type FilePlace } from '../../api/files.ts'
import { problemText } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import { beginOperation, planOperation } from './plan-operation.ts'
import type { TransferProblem } from './use-upload.ts'
import type { Questions } from './use-questions.ts'

export type Arrange = (kind: 'copy' | 'move', entries: readonly Entry[], target: string) => void

interface ArrangeOptions {
  place: FilePlace
  deviceName: string
  ignoresCase: boolean
  questions: Questions
  onProblem: (problem: TransferProblem | undefined) => void
}

/** Copies or moves entries into a folder of the device, after asking about taken names. */
export function useArrange({ place, deviceName, ignoresCase, questions, onProblem }: ArrangeOptions) {
  const arrange = async (kind: 'copy' | 'move', entries: readonly Entry[], target: string): Promise<void> => {
    onProblem(undefined)
    try {
      const items = await planOperation(
        { kind, entries, target },
        {
          ignoresCase,
          ask: questions.ask,
          list: async (folder) => (await listForUpload(place, folder)).entries,
        },
      )
      beginOperation(place, { kind, items: items ?? [], target, deviceName })
    } catch (error) {
      onProblem({ title: t.files.notArranged, text: problemText(error) })
    }
  }
  return (...order: Parameters<Arrange>) => void arrange(...order)
}
