import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../shared/contract/client.ts'
import * as t from '../../texts.ts'
import type { Conflict } from '../transfers/upload-plan.ts'
import type { Question } from './conflict-dialog.tsx'

/** Questions about taken names: one at a time, also across uploads, so that every question gets its answer. */
export function useQuestions() {
  const [question, setQuestion] = useState<Question>()
  /** Rejects the open question when the page is left. */
  const leave = useRef<() => void>(undefined)
  const isLeft = useRef(false)
  useEffect(() => {
    isLeft.current = false
    return () => {
      isLeft.current = true
      leave.current?.()
    }
  }, [])
  const lastAsked = useRef<Promise<unknown>>(Promise.resolve())

  const ask = (conflict: Conflict, others: number) => {
    const answer = lastAsked.current.then(
      () =>
        new Promise<Parameters<Question['answer']>[0]>((resolve, reject) => {
          leave.current = () => reject(new ApiError(0, undefined, t.files.leftUnanswered))
          if (isLeft.current) {
            leave.current()
          }
          setQuestion({
            conflict,
            others,
            answer: (choice) => {
              setQuestion(undefined)
              resolve(choice)
            },
          })
        }),
    )
    lastAsked.current = answer
    return answer
  }
  return { question, ask, isLeft }
}

export type Questions = ReturnType<typeof useQuestions>
