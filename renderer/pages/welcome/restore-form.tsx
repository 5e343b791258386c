import { Anchor, FileInput, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../shared/contract/client.ts'
import { ProblemDetails } from '../../../shared/contract/problem.ts'
import { RestoredDto } from '../../../shared/dtos/backup.ts'
import { textProps } from '../../components/field-props.ts'
import { api } from '../../api/http.ts'
import { pageHeaders } from '../../api/page-key.ts'
import { Restarting } from '../../components/restarting.tsx'
import { isSetupCodeProblem, SetupCodeField } from '../../components/setup-code-field.tsx'
import * as t from '../../texts.ts'
import { RecoveryKeyField } from '../../components/recovery-key-field.tsx'
import { RequestForm } from '../../components/request-form.tsx'

/** Restores an uploaded copy on a server without accounts. The fields come first: the server checks them before the file. */
async function uploadRestore(file: File, recoveryKey: string, setupCode: string): Promise<RestoredDto> {
  const body = new FormData()
  body.set('recoveryKey', recoveryKey)
  body.set('setupCode', setupCode)
  body.set('file', file)
  const answer = await fetch('/api/appliance/v1/first-run/uploads', { method: 'POST', body, headers: pageHeaders })
  const value: unknown = await answer.json().catch(() => undefined)
  if (!answer.ok) {
    const problem = ProblemDetails.safeParse(value).data
    throw new ApiError(answer.status, problem, 'upload')
  }
  return RestoredDto.parse(value)
}

/** Restores a backup on a server without accounts: an uploaded file, or one on the computer of the server. */
export function RestoreForm({ isRemote, onBack }: { isRemote: boolean; onBack?: () => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [path, setPath] = useState('')
  const [recoveryKey, setRecoveryKey] = useState('')
  const [setupCode, setSetupCode] = useState('')
  const [isCodeAsked, setIsCodeAsked] = useState(isRemote)
  const restore = useMutation({
    mutationFn: () =>
      file
        ? uploadRestore(file, recoveryKey, setupCode.trim())
        : api.firstRun.restoreFirst({
            body: { path: path.trim(), recoveryKey, setupCode: setupCode.trim() || undefined },
          }),
    onError: (error) => {
      if (isSetupCodeProblem(error)) {
        setIsCodeAsked(true)
      }
    },
  })
  if (restore.data) {
    return <Restarting restored={restore.data} />
  }
  return (
    <RequestForm
      submit={t.backup.firstRunSubmit}
      canSubmit={recoveryKey.trim() !== '' && (file !== null || path.trim() !== '')}
      request={restore}
      isExplained={isSetupCodeProblem(restore.error)}
      onSubmit={() => restore.mutate()}
      footer={
        <>
          <span className="small muted" role="status">
            {restore.isPending && t.backup.restoring}
          </span>
          {onBack && (
            <Anchor component="button" type="button" onClick={onBack}>
              {t.backup.back}
            </Anchor>
          )}
        </>
      }
    >
      <FileInput
        label={t.backup.upload}
        description={t.backup.uploadHint}
        placeholder={t.backup.upload}
        accept=".farhand-backup"
        clearable
        autoFocus={onBack !== undefined}
        value={file}
        onChange={setFile}
      />
      <TextInput
        label={t.backup.path}
        description={t.backup.pathHint}
        spellCheck={false}
        maxLength={4000}
        disabled={file !== null}
        {...textProps(path, setPath)}
      />
      <RecoveryKeyField {...textProps(recoveryKey, setRecoveryKey)} />
      {isCodeAsked && <SetupCodeField problem={restore.error} {...textProps(setupCode, setSetupCode)} />}
    </RequestForm>
  )
}
