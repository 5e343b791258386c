import { Box, Group, Skeleton, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import { api, statusOf } from '../../api/http.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import * as t from '../../texts.ts'
import { RequestForm } from '../../components/request-form.tsx'

const inGroups = (key: string) => key.replaceAll(/.{4}(?=.)/g, '$& ')

interface TwoFactorSetupProps {
  onDone: (recoveryCodes: readonly string[]) => void
  onCancel: () => void
}

/** Shows a new key for the authenticator app, and takes the app's first code. */
export function TwoFactorSetup({ onDone, onCancel }: TwoFactorSetupProps) {
  const [code, setCode] = useState('')
  const { mutate: begin, ...setup } = useMutation({
    mutationFn: () => api.account.setUpTwoFactor({}),
    onError: (error) => statusOf(error) === 409 && onCancel(),
  })
  const enable = useMutation({
    mutationFn: () => api.account.enableTwoFactor({ body: { twoFactorCode: code } }),
    onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes),
  })
  useEffect(() => begin(), [begin])
  if (setup.error) {
    return <ProblemAlert error={setup.error} onRetry={begin} />
  }
  return (
    <RequestForm
      submit={t.account.turnOn}
      canSubmit={setup.data !== undefined && code.trim() !== ''}
      request={enable}
      isExplained={statusOf(enable.error) === 400}
      onSubmit={() => enable.mutate()}
      onCancel={onCancel}
    >
      <Group align="stretch" gap="16px 24px">
        {setup.data ? (
          <QrCode width={196} text={setup.data.uri} label={t.account.qr} />
        ) : (
          <Skeleton width={196} height={196} />
        )}
        <Box flex="1 1 240px" miw={0}>
          <Text>{t.account.scan}</Text>
          <Text size="sm" c="dimmed" mt="sm">
            {t.account.orType}
          </Text>
          {setup.data && (
            <Group gap={4} wrap="nowrap" align="start">
              <code className="wrap-anywhere">{inGroups(setup.data.sharedKey)}</code>
              <CopyButton text={setup.data.sharedKey} hint={t.account.copyKey} />
            </Group>
          )}
          <TextInput
            mt="md"
            label={t.account.firstCode}
            description={t.account.firstCodeHint}
            autoComplete="one-time-code"
            inputMode="numeric"
            maxLength={12}
            data-autofocus
            {...textProps(code, setCode)}
            error={statusOf(enable.error) === 400 && t.account.wrongFirstCode}
          />
        </Box>
      </Group>
    </RequestForm>
  )
}
