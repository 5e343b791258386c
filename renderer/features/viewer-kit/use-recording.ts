import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import type { RecordingStateDto } from '../../../shared/dtos/recording.ts'
import { api } from '../../api/http.ts'
import { queryClient } from '../../api/query-client.ts'
import { recordingQueries } from '../../api/recording-queries.ts'
import * as t from '../../texts.ts'

export interface SessionRecording {
  state: RecordingStateDto
  isBusy: boolean
  /** Records from now on, or stops. */
  toggle: () => void
  /** Stores the last two minutes. */
  keep: () => void
}

/** Recording of an own session; undefined where nothing may be recorded, and while the session is not open. */
export function useRecording(
  sessionId: string | undefined,
  onNote: (text: string) => void,
): SessionRecording | undefined {
  const options = recordingQueries.ofSession(sessionId ?? '')
  const { data } = useQuery({ ...options, enabled: sessionId !== undefined })
  const work = useMutation({
    mutationFn: (what: 'start' | 'stop' | 'keep') => api.sessionRecordings[what]({ params: { sessionId: sessionId! } }),
    onSuccess: (state, what) => {
      queryClient.setQueryData(options.queryKey, state)
      onNote(t.viewer.recording.done[what])
    },
    onError: (error) => onNote(error.message),
  })
  const problem = data?.problem
  const tell = useEffectEvent(onNote)
  useEffect(() => {
    if (problem) {
      tell(problem)
    }
  }, [problem])
  if (!data || sessionId === undefined) {
    return undefined
  }
  return {
    state: data,
    isBusy: work.isPending,
    toggle: () => work.mutate(data.isRecording ? 'stop' : 'start'),
    keep: () => work.mutate('keep'),
  }
}
