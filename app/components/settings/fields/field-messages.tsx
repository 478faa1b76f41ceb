import { Text } from "@shopify/polaris";
import type { FormField } from "../../../domain/tenants/settings/settings-form.ts";
import type { Draft } from "./field-drafts.ts";

/** The props of every kind of field's editor. */
export type EditorProps<D> = {
  field: FormField;
  draft: D;
  label: string;
  help: string;
  problem: string | undefined;
  onChange(draft: Draft): void;
};

/** Help and error below a field of several inputs. */
export function FieldMessages({ help, problem }: { help: string; problem: string | undefined }) {
  return (
    <>
      {problem && (
        <Text as="p" tone="critical">
          {problem}
        </Text>
      )}
      {help && (
        <Text as="p" tone="subdued">
          {help}
        </Text>
      )}
    </>
  );
}
