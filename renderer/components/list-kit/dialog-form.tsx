import { useMutation } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { RequestForm } from '../request-form.tsx'

interface DialogFormProps<Result> extends Omit<
  ComponentProps<typeof RequestForm>,
  'request' | 'onSubmit' | 'onCancel'
> {
  save: () => Promise<Result>
  onSaved: (result: Result) => void
  onCancel: () => void
}

/** Form in a `Modal` that sends its own request. */
export function DialogForm<Result>({ save, onSaved, ...form }: DialogFormProps<Result>) {
  const saving = useMutation({ mutationFn: save, onSuccess: onSaved })
  return <RequestForm {...form} request={saving} onSubmit={() => saving.mutate()} />
}
