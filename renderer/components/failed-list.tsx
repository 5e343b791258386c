import { Button, Group, List, Stack, Text } from '@mantine/core'
import * as t from '../texts.ts'

interface FailedListProps {
  /** Sentence above the list. */
  text: string
  items: readonly { id: string; text: string }[]
  onClose: () => void
}

/** Names what an action of a dialog could not do, in place of its form. */
export const FailedList = ({ text, items, onClose }: FailedListProps) => (
  <Stack>
    <Text>{text}</Text>
    <List mah={280} style={{ overflow: 'auto', overflowWrap: 'anywhere' }}>
      {items.map((item) => (
        <List.Item key={item.id}>{item.text}</List.Item>
      ))}
    </List>
    <Group justify="flex-end">
      <Button onClick={onClose} data-autofocus>
        {t.common.close}
      </Button>
    </Group>
  </Stack>
)
