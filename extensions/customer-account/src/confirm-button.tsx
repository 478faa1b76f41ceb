// A button whose effect is confirmed in a dialog.
import type { ComponentChildren } from "preact";
import { t } from "./platform.ts";

type Props = {
  /** The id of the dialog's element. */
  id: string;
  label: string;
  accessibilityLabel: string;
  heading: string;
  confirm: string;
  isBusy: boolean;
  /** Whether the dialog's own button is usable. */
  isReady?: boolean;
  onConfirm(): void;
  children: ComponentChildren;
};

export function ConfirmButton({ id, isReady = true, isBusy, children, ...props }: Props) {
  return (
    <>
      <s-button
        tone="critical"
        accessibilityLabel={props.accessibilityLabel}
        loading={isBusy}
        commandFor={id}
        command="--show"
      >
        {props.label}
      </s-button>
      <s-modal id={id} heading={props.heading}>
        <s-stack gap="base">{children}</s-stack>
        <s-button slot="secondary-actions" commandFor={id} command="--hide">
          {t("cancel")}
        </s-button>
        <s-button
          slot="primary-action"
          variant="primary"
          tone="critical"
          disabled={!isReady}
          commandFor={id}
          command="--hide"
          onClick={props.onConfirm}
        >
          {props.confirm}
        </s-button>
      </s-modal>
    </>
  );
}
