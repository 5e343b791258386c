import { Alert, Badge, Button, Group, Switch } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedWebhookDto, WebhookBody } from '../../../../shared/api/appliance-webhooks.ts'
import { api } from '../../../api/http.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { checkProps } from '../../../components/field-props.ts'
import { AskButton, DeleteButton, FormButton } from '../../../components/list-kit/dialogs.tsx'
import { PaneSection, SidePane } from '../../../components/list-kit/side-pane.tsx'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import * as t from '../../../texts.ts'
import { moment } from '../../../text/format.ts'
import { visibleName } from '../../../text/visible-name.ts'
import { DeliveriesSection } from './deliveries-section.tsx'
import { eventGroups } from './event-choice.ts'
import { ShownSecret } from './new-webhook.tsx'
import { TestPart } from './test-part.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { webhookQueries } from './webhook-queries.ts'
import { invalidate } from '../../../api/query-client.ts'
import classes from './webhooks.module.css'

const bodyOf = ({ name, url, kinds, isEnabled }: ListedWebhookDto): WebhookBody => ({ name, url, kinds, isEnabled })

/** Events of a webhook by group, such as "Devices: Online, Offline". */
const EventLines = ({ kinds }: { kinds: readonly string[] | null }) =>
  kinds === null ? (
    <p>{t.webhooks.allEvents}</p>
  ) : (
    <ul className={classes.list}>
      {[...eventGroups].flatMap(([group, types]) => {
        const chosen = types.filter((type) => kinds.includes(type))
        const isWhole = kinds.includes(group)
        return isWhole || chosen.length > 0
          ? [<li key={group}>{isWhole ? t.webhooks.eventName(group) : t.webhooks.group(group, chosen)}</li>]
          : []
      })}
    </ul>
  )

/** When the secret was replaced, and how to replace it. */
function SecretSection({ webhook }: { webhook: ListedWebhookDto }) {
  const now = useNow()
  const [secret, setSecret] = useState<string>()
  const { id, name, formerSecretUntil: until } = webhook
  return (
    <PaneSection title={t.webhooks.secret} hint={t.webhooks.secretHint}>
      {until !== null && Date.parse(until) > now && <p>{t.webhooks.former(moment(Date.parse(until)))}</p>}
      <AskButton
        label={t.webhooks.rotate}
        title={t.webhooks.rotateTitle(visibleName(name))}
        onConfirm={async () => {
          const made = await api.webhooks.rotate({ params: { webhookId: id } })
          setSecret(made.secret)
          await invalidate(webhookQueries.all)
        }}
      >
        {t.webhooks.rotateHint}
      </AskButton>
      <ShownSecret secret={secret} onClose={() => setSecret(undefined)} />
    </PaneSection>
  )
}

/** Side pane of a webhook: state, test, events, deliveries, secret. */
export function WebhookPane({ webhook, onClose }: { webhook: ListedWebhookDto; onClose: () => void }) {
  const { id, name, url, kinds, isEnabled, mayAct, madeBy, waiting } = webhook
  const reload = () => invalidate(webhookQueries.all)
  const save = (changes: Partial<WebhookBody>) =>
    api.webhooks.update({ params: { webhookId: id }, body: { ...bodyOf(webhook), ...changes } })
  const change = useMutation({ mutationFn: save, onSettled: reload })
  return (
    <SidePane
      title={visibleName(name)}
      marks={waiting > 0 && <Badge variant="default">{t.webhooks.waiting(waiting)}</Badge>}
      onClose={onClose}
    >
      {!mayAct && (
        <Alert color="warning" title={t.webhooks.stoppedTitle} mb="sm">
          {t.webhooks.stopped(madeBy === null ? null : visibleName(madeBy))}
          <Button variant="default" display="block" mt="xs" onClick={() => change.mutate({})}>
            {t.webhooks.takeOver}
          </Button>
        </Alert>
      )}
      <Group gap={8} wrap="nowrap" align="flex-start" mb="xs">
        <code style={{ overflowWrap: 'anywhere', minWidth: 0 }}>{visibleName(url)}</code>
        <CopyButton text={url} />
      </Group>
      <Switch
        label={t.webhooks.isEnabled}
        description={t.webhooks.isEnabledHint}
        {...checkProps(change.isPending ? (change.variables.isEnabled ?? isEnabled) : isEnabled, (wanted) =>
          change.mutate({ isEnabled: wanted }),
        )}
      />
      {change.error && <ProblemAlert error={change.error} />}
      <Group gap={8} my={12}>
        <TestPart webhookId={id} />
        <FormButton size="lg" label={t.webhooks.edit} title={t.webhooks.editTitle(visibleName(name))}>
          {(close) => (
            <WebhookForm
              start={bodyOf(webhook)}
              submit={t.common.save}
              save={save}
              onSaved={() => {
                void reload()
                close()
              }}
              onCancel={close}
            />
          )}
        </FormButton>
      </Group>
      <PaneSection
        title={t.webhooks.events}
        hint={mayAct && madeBy !== null ? t.webhooks.madeBy(visibleName(madeBy)) : undefined}
      >
        <EventLines kinds={kinds} />
      </PaneSection>
      <DeliveriesSection webhookId={id} />
      <SecretSection webhook={webhook} />
      <Group mt="md">
        <DeleteButton
          label={t.webhooks.remove}
          title={t.webhooks.removeTitle(visibleName(name))}
          onConfirm={() => api.webhooks.delete({ params: { webhookId: id } })}
          onConfirmed={() => {
            onClose()
            void reload()
          }}
        >
          {t.webhooks.removeHint}
        </DeleteButton>
      </Group>
    </SidePane>
  )
}
