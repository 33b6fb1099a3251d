defmodule Post.Parcel do
  @moduledoc """
  Weighs parcels.
  """
  use GenServer, restart: :temporary

  alias Post.{Queue, Scales}
  import Post.Units, only: [grams: 1, round_up: 2]
  @behaviour Post.Thing

  @max_weight 30
  @api_key "not-for-records"

  @typedoc "One thing to send."
  @type t :: %__MODULE__{raw: integer()}

  defstruct [:raw]

  @doc """
  Gives kilograms.

      iex> weigh(parcel)
  """
  @spec weigh(t(), Scales.unit()) ::
          integer() | nil
  @impl true
  def weigh(parcel, unit \\ default())

  def weigh(%{raw: raw} = parcel, unit) when is_atom(unit) do
    # TODO: round up
    raw |> Scales.calibrate(unit) |> Enum.map(&grams/1)
    parcel.raw
  end

  def weigh(_parcel, _unit), do: raise("no weight")

  defp hide, do: nil

  # Sends it away.
  @doc since: "1.2"
  def send(parcel), do: Queue.push(parcel, @api_key)

  defmacro __using__(opts) do
    quote do: unquote(opts)
  end

  def żółć(parcel), do: send(parcel)

  defmodule Label do
    def print(label), do: IO.puts(label)
  end
end

defmodule Post.ParcelTest do
  use ExUnit.Case, async: true

  describe "weigh/2" do
    test "weighs little", %{parcel: parcel} do
      assert Post.Parcel.weigh(parcel) == 1
    end
  end
end
